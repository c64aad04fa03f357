import type { CallRecord, Coordinates } from '../recognition.js';
import { saidBy } from './columns.js';
import { readCall } from './call-reader.js';
import { coordinatesOf, readIds, tasksConflict } from './coordinates.js';
import type { RecordedIds } from './coordinates.js';
import { digestsIn } from './digests.js';
import { ARGUMENTS_BOUND, argumentsFidelity, SHORT_ARGUMENTS_BOUND } from './fidelity.js';
import type { KeptArguments } from './fidelity.js';
import { digestVerdicts, fingerprintOf } from './fingerprint.js';
import { generationOf, generationWith, strayAnomalies } from './generation.js';
import type { Generation3, GenerationName } from './generations/shapes.js';
import { isObject } from './json-text.js';
import type { JsonObject } from './json-text.js';
import { RecordRefused } from './refused.js';
import { survives } from './stored-call.js';
import { stableText } from './stable-text.js';
import { mayBeCut, resultBounds } from './result-bounds.js';
import { locateCall } from './surfaces/locate.js';
import { FORMAT } from './surfaces/names.js';
import { isBefore } from './time.js';
import { toolNamed } from './tools.js';

/** A record that holds one call, and what is around it. */
export interface CallSource {
  readonly kind: CallRecord['kind'];
  /** Where copies stood; else a call surface. */
  readonly surface: string;
  /** As what it is read; the same as `surface`, but for copies. */
  readonly readAs?: string;
  readonly record: JsonObject;
  /** The event row, if the record is one: what is around the call then. */
  readonly row: JsonObject | null;
  /** Of an entry: identifiers of the record that it stands in. */
  readonly owner?: Partial<RecordedIds>;
  /** When it was created, where the record around it says so; undefined: nobody does. */
  readonly createdAt?: string | null;
  /** More of what identifies it. */
  readonly more?: Coordinates;
  /** What its key is made of, once its ids are known, and whether one of them can't be kept; null: its content. */
  readonly identify: (ids: RecordedIds, unusable: boolean) => Coordinates | null;
  /** What may have been the scope of its operation id. */
  readonly scopes?: readonly (string | null)[];
  readonly anomalies: readonly string[];
}

/** The key under which a call is read before its record has one: what is compared leaves it out of both sides. */
const NO_KEY = '';

/**
 * What a record says of its call.
 *
 * @throws RecordRefused if it can't become a receipt
 */
export function callRecord(source: CallSource): CallRecord {
  const { kind, surface, record, row, anomalies } = source;
  const readAs = source.readAs ?? surface;
  const located = locateCall(readAs, record);
  if ('reason' in located) throw new RecordRefused(located.reason);
  const written = generationOf(readAs, located.call);
  const noted = new Set([...anomalies, ...located.anomalies, ...strayAnomalies(readAs, written, row, located.call)]);
  const ids = { ...readIds(row, located.call, noted), ...source.owner };
  const kept = keptArguments(readAs, written, located.call);
  const scopes = [ids.taskId, ids.rowTaskId, ...(source.scopes ?? [])];
  const digests = digestVerdicts(
    kept,
    { operationId: textOf(located.call, 'operation_id'), argsSha256: located.call['args_sha256'] },
    scopes,
  );
  const fidelity = argumentsFidelity(kept, digests);
  const context = { recordKey: NO_KEY, opaqueArguments: fidelity.includes('opaque') };
  const call = readCall(located.call, written, context, noted, located.successKey);
  noteOddities({ surface: readAs, written, call, ids }, noted);
  const { text, hasLoneSurrogate } = stableText(located.decoded);
  if (hasLoneSurrogate) noted.add('lone_surrogate');
  const { owner, more } = source;
  const generation = generationWith(noted, written);
  const stored = { generation, surface: readAs, recordKey: NO_KEY, argumentsFidelity: [...fidelity] };
  return {
    kind,
    format: FORMAT,
    generation,
    surface,
    text,
    identity: source.identify(ids, noted.has('identifier_unusable')),
    coordinates: coordinatesOf(ids, source.createdAt ?? null, { ...ofGeneration3(call, written), ...source.more }),
    // An entry is told apart from the same one elsewhere by where it stands.
    content: owner === undefined ? contentOf(located.decoded, text) : stableText([owner, more ?? null, located.call]).text,
    createdAt: source.createdAt ?? null,
    toolName: call.action,
    argumentsFidelity: fidelity,
    fingerprint: fingerprintOf(digests),
    anomalies: [...noted].sort(),
    digests: digestsIn(record),
    survives: (storedJson) => survives(call, storedJson, stored),
  };
}

/** @param text of the whole record */
function contentOf(record: JsonObject, text: string): string {
  const said = typeof record['event_type'] === 'string' ? saidBy(record) : record;
  return said === record ? text : stableText(said).text;
}

function textOf(object: JsonObject, key: string): string | null {
  const value = Object.hasOwn(object, key) ? object[key] : null;
  return typeof value === 'string' ? value : null;
}

function keptArguments(surface: string, generation: GenerationName, call: JsonObject): KeptArguments {
  const typed = generation === '3' && isObject(call['arguments']);
  const value = (typed ? call['arguments'] : call['args']) ?? null;
  const isShort = surface === 'bug_fix.receipt' || generation === '0c' || surface === 'learning.tools';
  return {
    value,
    typed,
    tool: toolNamed(textOf(call, 'action') ?? ''),
    failure: textOf(call, 'failure'),
    bound: isShort ? SHORT_ARGUMENTS_BOUND : ARGUMENTS_BOUND,
  };
}

/** What generation 3 identifies a call by, beside the old ids. */
function ofGeneration3({ callId, callIdSource, planId }: Generation3, generation: GenerationName): Coordinates {
  return generation === '3' ? { callId: callIdSource === 'native' ? callId : null, planId } : {};
}

interface Noted {
  readonly surface: string;
  readonly written: GenerationName;
  readonly call: Generation3;
  readonly ids: RecordedIds;
}

function noteOddities({ surface, written, call, ids }: Noted, anomalies: Set<string>): void {
  if (call.tool !== call.action) anomalies.add('alias_resolved');
  if (tasksConflict(ids)) anomalies.add('task_association_conflicting');
  if (isBefore(call.completedAt, call.startedAt)) anomalies.add('completed_before_started');
  const result = call.result?.value;
  if (typeof result !== 'string') return;
  // Cut at the bound with no mark: it may be whole, and can't be told to be.
  if (mayBeCut(result, resultBounds(surface, written, call.tool))) anomalies.add('result_possibly_truncated');
  // The flag stands (promise 18); that the words say otherwise is worth a look.
  if (call.success === true && call.exitCode === null && SOUNDS_FAILED.test(result)) anomalies.add('text_disagrees_with_success_flag');
}

const SOUNDS_FAILED = /^\s*(?:error\b|exit code (?!0\b)-?\d)/i;
