import type { RecordedEvent, StoredEvent } from '@counterfoil/contracts';
import { UpcastError } from '../errors.js';
import { checkedSteps } from './chain-check.js';
import type { CurrentVersions, StepsByNode } from './chain-check.js';
import { storedVersion } from './stored-version.js';
import { nodeKey, targetsOf } from './upcast-step.js';
import type { UpcastEvent, UpcastSource, UpcastStep } from './upcast-step.js';

export interface UpcastingRules {
  /** Every type that may be stored or upcast to, with its current version. */
  readonly types: CurrentVersions;
  readonly steps: readonly UpcastStep[];
}

/**
 * The one way from a stored event to what readers see (promise 25). Every read path of every adapter goes through one registry, so that
 * no two of them can differ (case 50). It neither validates nor strips: fields that today's schema doesn't know stay (case 52).
 */
export class UpcastingRegistry {
  private readonly types: ReadonlyMap<string, number>;
  private readonly steps: StepsByNode;

  /** @throws BrokenUpcastChainError when a stored version has no path, or more than one: a start-up error */
  constructor(rules: UpcastingRules) {
    this.steps = checkedSteps(rules.types, rules.steps);
    this.types = new Map(Object.entries(rules.types));
  }

  /** The version in which the type is written today, or null for a type that this registry doesn't know. */
  currentVersion(type: string): number | null {
    return this.types.get(type) ?? null;
  }

  /**
   * A stored event as current events, in order: one, or several parts of one revision. The stored event is left as it is.
   *
   * @throws UpcastError naming stream, revision, type and version, never data
   */
  read(stored: StoredEvent): RecordedEvent[] {
    try {
      return recordParts(stored, this.upcast(stored, stored));
    } catch (error) {
      if (!(error instanceof UpcastError)) throw error;
      throw new UpcastError(`${standing(stored)}: ${error.message}`);
    }
  }

  /**
   * The path itself, for an event that has no revision yet.
   *
   * @param event `version` as stored: a number, or one of the old forms (case 51)
   * @throws UpcastError for an unknown type, a version that is none or newer than known, a step that fails or breaks its declaration
   */
  upcast(
    event: { readonly type: string; readonly version: unknown; readonly data: unknown },
    source: UpcastSource,
  ): readonly UpcastEvent[] {
    const current = this.types.get(event.type);
    if (current === undefined) throw new UpcastError('the type is unknown to this version of Counterfoil');
    const version = storedVersion(event.version);
    if (version === null) throw new UpcastError('the stored version is not a version');
    if (version > current) throw new UpcastError(`the version is newer than ${String(current)}, the newest known`);
    const first: UpcastEvent = { type: event.type, version, data: event.data };
    return this.steps.has(nodeKey(first.type, version)) ? this.expand(first, source) : [first];
  }

  /** Ends, since the steps have no cycle. The stack holds what is still to do, next on top, so that parts keep their order. */
  private expand(first: UpcastEvent, source: UpcastSource): UpcastEvent[] {
    const done: UpcastEvent[] = [];
    const todo = [first];
    for (let event = todo.pop(); event !== undefined; event = todo.pop()) {
      const step = this.steps.get(nodeKey(event.type, event.version));
      if (step === undefined) done.push(event);
      else todo.push(...[...take(step, event, source)].reverse());
    }
    return done;
  }
}

function take(step: UpcastStep, event: UpcastEvent, source: UpcastSource): readonly UpcastEvent[] {
  const name = `the step from ${step.type} version ${String(step.from)}`;
  let results: readonly UpcastEvent[];
  try {
    results = step.up(event, source);
  } catch (error) {
    // Only the class: the message of a foreign error may quote the data, and this one is logged.
    throw new UpcastError(`${name} failed with ${error instanceof Error ? error.name : typeof error}`);
  }
  if (results.length === 0) throw new UpcastError(`${name} gave no event`);
  const targets = targetsOf(step);
  for (const result of results) {
    if (!targets.some((target) => target.type === result.type && target.version === result.version)) {
      throw new UpcastError(`${name} gave ${result.type} version ${String(result.version)}, which it doesn't declare`);
    }
  }
  return results;
}

/** Dresses the results of an upcast as recorded events: each part carries id, place and metadata of the one stored event. */
export function recordParts(stored: Omit<StoredEvent, 'data' | 'type' | 'version'>, parts: readonly UpcastEvent[]): RecordedEvent[] {
  return parts.map((part, index) => ({
    stream: stored.stream,
    revision: stored.revision,
    position: stored.position,
    id: stored.id,
    type: part.type,
    version: part.version,
    data: part.data,
    metadata: stored.metadata,
    part: index,
    parts: parts.length,
  }));
}

/** Type and version come from the store, where anything may stand: both are shown bounded and on one line. */
function standing(stored: StoredEvent): string {
  const shown = (value: unknown): string => JSON.stringify(typeof value === 'bigint' ? String(value) : (value ?? null)).slice(0, 80);
  return `stream ${shown(stored.stream)}, revision ${String(stored.revision)}, type ${shown(stored.type)}, version ${shown(stored.version)}`;
}
