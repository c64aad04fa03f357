import { uuidV7 } from '@counterfoil/canonical';
import {
  CURRENT_VERSIONS,
  DomainError,
  type EventData,
  type NewEvent,
  type NewEventMetadata,
  type Policy,
  type RecordedEvent,
  type RegisterToolBody,
  type RegistryEvent,
  type RetireToolBody,
  type SetPolicyBody,
  type ToolSpec,
} from '@counterfoil/contracts';
import { WrongExpectedRevisionError, type AppendResult, type EventStore } from '@counterfoil/event-store';
import {
  ALLOW_ALL,
  decideRegistry,
  registerTool,
  retireTool,
  setPolicy,
  toolKey,
  ToolSchemas,
  type RegistryCommand,
  type RegistryState,
} from '@counterfoil/registry';
import { isoTime, type ToolDirectory } from '@counterfoil/session';
import type { KeyRing } from '../keys/key-ring.js';
import type { LedgerObserver } from '../observers.js';
import { observed } from '../sessions/observed.js';
import { Serial } from '../sessions/serial.js';
import type { CommandOrigin, ToolDirectories } from '../sessions/session-repository.js';
import { RegistryCache } from './registry-cache.js';
import { appendUntilAnswered, asDomainError, pause } from '../store-answers.js';
import { policyOriginOf, registryStream, WorkspaceRegistry, type PolicyOrigin } from './workspace-registry.js';

/** Where a command or a question found the registry. */
export interface RegistryPlace {
  /** Revision of the registry's last event; null while it has none. */
  readonly revision: bigint | null;
  /** Global position of that event; 0n while there is none. */
  readonly position: bigint;
  /** How many events the command added. */
  readonly added: number;
}

export interface ToolAnswer extends RegistryPlace {
  readonly tool: ToolSpec;
}

export interface RetiredAnswer extends RegistryPlace {
  readonly tool: { readonly source: string; readonly name: string };
}

export interface PolicyAnswer extends RegistryPlace {
  /** Null while none was set: then everything is allowed. */
  readonly version: number | null;
  readonly policy: Policy;
  readonly setAt: string | null;
  readonly setBy: string | null;
}

export interface ToolRegistryOptions {
  readonly store: EventStore;
  readonly keys: Pick<KeyRing, 'current'>;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  readonly observer?: LedgerObserver;
  /** UTF-16 units of tool specs that are kept in memory, of all workspaces together. */
  readonly cachedUnits?: number;
}

/** Tries of one command against other writers. */
const TRIES = 12;

/**
 * The tools and the policy of each workspace (promises 10 to 12): folded from its registry stream, which is read to its end before
 * anything is answered or decided, so that another process's newest rule holds here too.
 */
export class ToolRegistry implements ToolDirectories {
  private readonly cache: RegistryCache;
  private readonly schemas = new ToolSchemas();
  private readonly serial = new Serial();
  private readonly now: () => number;

  constructor(private readonly options: ToolRegistryOptions) {
    this.cache = new RegistryCache(options.cachedUnits);
    this.now = options.now ?? Date.now;
  }

  /** Workspaces that are held in memory. */
  get held(): number {
    return this.cache.size;
  }

  /** The tools and the policy of a workspace as they stand now. @throws DomainError `store_unavailable` */
  async directory(workspaceId: string): Promise<ToolDirectory> {
    return (await this.fresh(workspaceId)).directory();
  }

  /**
   * Registers a tool, or its newest spec; the same again adds nothing.
   *
   * @throws DomainError: the refusals of `decideRegistry`, `contention`, `store_unavailable`, `outcome_unknown`, as all that writes here
   */
  async register(workspaceId: string, body: RegisterToolBody, origin: CommandOrigin): Promise<ToolAnswer> {
    return this.change(workspaceId, registerTool(workspaceId, body), origin, ({ state }, decided) => ({
      tool: decided?.type === 'ToolRegistered' ? specIn(decided.data) : specAt(state, body),
    }));
  }

  /** Retires a tool; again is the same. @throws DomainError `not_found` for a tool that never was */
  async retire(workspaceId: string, body: RetireToolBody, origin: CommandOrigin): Promise<RetiredAnswer> {
    const { source, name } = body;
    return this.change(workspaceId, retireTool(workspaceId, body), origin, () => ({ tool: { source, name } }));
  }

  /** Sets the policy as a whole: a new version, unless it says the same as the one in force. */
  async setPolicy(workspaceId: string, policy: SetPolicyBody, origin: CommandOrigin): Promise<PolicyAnswer> {
    return this.change(workspaceId, setPolicy(workspaceId, policy), origin, (registry, decided, metadata) =>
      decided?.type === 'PolicySet' ? versionIn(decided.data, policyOriginOf(metadata)) : policyIn(registry),
    );
  }

  /**
   * The policy in force, or one of its versions: all are kept.
   *
   * @param version counts from 1
   * @throws DomainError `not_found` for a version that there is not
   */
  async policy(workspaceId: string, version?: number): Promise<PolicyAnswer> {
    const registry = await this.fresh(workspaceId);
    const place = placeOf(registry, 0);
    const { policyRevisions } = registry.state;
    if (version === undefined || version === policyRevisions.length) return { ...policyIn(registry), ...place };
    const revision = policyRevisions[version - 1];
    if (revision === undefined) throw new DomainError('not_found', 'There is no such version of the policy.');
    const { data, metadata } = await this.eventAt(workspaceId, BigInt(revision));
    return { ...versionIn(data as EventData<'PolicySet'>, policyOriginOf(metadata)), ...place };
  }

  private async eventAt(workspaceId: string, revision: bigint): Promise<RecordedEvent> {
    try {
      for await (const event of this.options.store.readStream(registryStream(workspaceId), { from: revision, limit: 1 })) return event;
    } catch (error) {
      throw asDomainError(error);
    }
    throw new Error('an event of the registry is gone');
  }

  private async fresh(workspaceId: string): Promise<WorkspaceRegistry> {
    const make = (): WorkspaceRegistry => new WorkspaceRegistry(this.options.store, registryStream(workspaceId), this.schemas);
    const registry = this.cache.get(workspaceId, make);
    try {
      await registry.readOn();
    } catch (error) {
      throw asDomainError(error);
    }
    this.cache.settle(workspaceId);
    return registry;
  }

  /**
   * Commands on one workspace run one after another in a process; those of other processes are met by the expected revision.
   *
   * @param answer is asked at once when it was decided: what others fold meanwhile is not part of it
   */
  private async change<T extends object>(
    workspaceId: string,
    command: RegistryCommand,
    origin: CommandOrigin,
    answer: (registry: WorkspaceRegistry, decided: RegistryEvent | undefined, metadata: NewEventMetadata) => T,
  ): Promise<T & RegistryPlace> {
    const run = this.serial.run(workspaceId, async () => {
      for (let attempt = 0; attempt < TRIES; attempt++) {
        const registry = await this.fresh(workspaceId);
        const events = decideRegistry(registry.state, command, { key: this.options.keys.current, schemas: this.schemas });
        const metadata = this.metadataOf(origin);
        const given = { ...answer(registry, events[0], metadata), ...placeOf(registry, 0) };
        if (events.length === 0) return given;
        const appended = await this.append(workspaceId, registry, events, metadata);
        if (appended !== null) return { ...given, ...appended, added: events.length };
        await pause(attempt);
      }
      throw new DomainError('contention', 'Other writers were faster each time; nothing was recorded.');
    });
    return observed(this.options.observer, command.type, run);
  }

  /** Null when another writer was faster. */
  private async append(
    workspaceId: string,
    registry: WorkspaceRegistry,
    decided: readonly RegistryEvent[],
    metadata: NewEventMetadata,
  ): Promise<Pick<AppendResult, 'revision' | 'position'> | null> {
    const { revision } = registry.state;
    const events = decided.map(({ type, data }): NewEvent => {
      return { id: uuidV7(this.now()), type, version: CURRENT_VERSIONS[type], data, metadata };
    });
    const request = { stream: registryStream(workspaceId), expected: revision < 0 ? 'no_stream' : BigInt(revision), events } as const;
    try {
      const result = await appendUntilAnswered(this.options.store, request);
      registry.fold(result.events);
      this.cache.settle(workspaceId);
      this.options.observer?.appended(events.map(({ type }) => type));
      return { revision: result.revision, position: result.position };
    } catch (error) {
      if (error instanceof WrongExpectedRevisionError) return null;
      throw asDomainError(error);
    }
  }

  private metadataOf({ actor, occurredAt, correlationId, traceparent }: CommandOrigin): NewEventMetadata {
    return { recordedAt: isoTime(this.now()), occurredAt, actor, correlationId, causationId: null, traceparent };
  }
}

const placeOf = ({ state, position }: WorkspaceRegistry, added: number): RegistryPlace => ({
  revision: state.revision < 0 ? null : BigInt(state.revision),
  position,
  added,
});

const specIn = ({ workspaceId: _, ...spec }: EventData<'ToolRegistered'>): ToolSpec => spec;

function specAt(state: RegistryState, { source, name }: Pick<ToolSpec, 'source' | 'name'>): ToolSpec {
  const spec = state.tools.get(toolKey(source, name));
  if (spec === undefined) throw new Error('a tool that is the same as before is not there');
  return spec;
}

type PolicyOnly = Omit<PolicyAnswer, keyof RegistryPlace>;

const versionIn = ({ version, rules, unknownTools }: EventData<'PolicySet'>, origin: PolicyOrigin): PolicyOnly => ({
  version,
  policy: { rules, unknownTools },
  ...origin,
});

function policyIn({ state, policyOrigin }: WorkspaceRegistry): PolicyOnly {
  const version = state.policyRevisions.length;
  const { setAt = null, setBy = null } = policyOrigin ?? {};
  return { version: version === 0 ? null : version, policy: state.policy ?? ALLOW_ALL, setAt, setBy };
}
