import { canonicalize } from '@counterfoil/canonical';
import { characters } from '@counterfoil/contracts';
import { QUARANTINE_REASONS } from '../quarantine-reasons.js';
import type { QuarantineReason } from '../quarantine-reasons.js';
import type { Coordinates, ReceiptRecord, Recognition } from '../recognition.js';
import { readFacts, readIds } from './facts.js';
import type { ReceiptFacts, RecordedIds } from './facts.js';
import { argumentsFidelity, RESULT_BOUND } from './fidelity.js';
import { fingerprintVerdict } from './fingerprint.js';
import { generationOf, strayAnomalies } from './generation.js';
import { isObject, readJson } from './json-text.js';
import type { JsonObject, JsonReading } from './json-text.js';
import { decodePayload } from './payload.js';
import { RecordRefused } from './refused.js';
import { survives } from './stored-facts.js';
import { toolNamed } from './tools.js';

export const FORMAT = 'openkyrozen';
export const SURFACE = 'execution.receipt';

const NOT_A_RECEIPT: Recognition = { kind: 'not_a_receipt' };

/** Oddities that generation 1 itself never wrote: with one of them the record is like a receipt, of no known generation. */
const STRAY = new Set(['missing_keys', 'unknown_keys', 'args_not_text', 'args_over_bound', 'result_not_text', 'success_not_boolean']);

export function quarantine(reason: QuarantineReason): Recognition {
  return { kind: 'quarantine', reason, detail: QUARANTINE_REASONS[reason] };
}

/**
 * What one line of an export of OpenKyrozen is. Total: any text gets an answer, and none is thrown at.
 *
 * @param text the line, decoded, without line end or byte-order mark
 * @param invalidUtf8 whether its bytes were not all UTF-8
 */
export function recognise(text: string, invalidUtf8 = false): Recognition {
  const reading = readLine(text);
  if (!reading.ok) return quarantine(reading.reason);
  if (reading.ambiguity === 'duplicate_key') return quarantine('duplicate_key');
  if (!isObject(reading.value)) return NOT_A_RECEIPT;
  const row = reading.value;
  const type = row['event_type'];
  if (type !== SURFACE) return type === 'subagent.receipt' || holdsReceipt(row) ? quarantine('unsupported_surface') : NOT_A_RECEIPT;
  if (invalidUtf8) return quarantine('invalid_utf8');
  if (reading.ambiguity !== null) return quarantine(reading.ambiguity);
  try {
    return { kind: 'receipt', record: readRow(text, row, reading.anomalies) };
  } catch (error) {
    if (error instanceof RecordRefused) return quarantine(error.reason);
    throw error;
  }
}

/**
 * Most lines of an export are no receipts. One that spells the event type nowhere, not even by escapes, is parsed and nothing more:
 * no doubled key can hide a receipt in it.
 */
function readLine(text: string): JsonReading {
  if (text.includes(SURFACE) || text.includes('\\u')) return readJson(text);
  try {
    return { ok: true, value: JSON.parse(text), ambiguity: null, anomalies: [] };
  } catch {
    return readJson(text);
  }
}

/** Whether an object that is no event row shows a tool call in one of the forms that other generations and surfaces gave it. */
function holdsReceipt(object: JsonObject): boolean {
  if (typeof object['event_type'] === 'string') return false;
  const has = (key: string): boolean => Object.hasOwn(object, key);
  const { evidence } = object;
  if (typeof evidence === 'string' ? evidence !== '[]' : Array.isArray(evidence) && evidence.length > 0) return true;
  return (
    has('receipt_id') || has('tool_receipt') || has('tool_records') || (has('action') && has('success')) || isObject(object['receipt'])
  );
}

function readRow(text: string, row: JsonObject, anomalies: readonly string[]): ReceiptRecord {
  const decoded = decodePayload(row['payload']);
  if ('reason' in decoded) throw new RecordRefused(decoded.reason);
  if (generationOf(decoded.payload) !== '1') throw new RecordRefused('unsupported_generation');
  const noted = new Set([...anomalies, ...decoded.anomalies, ...strayAnomalies(row, decoded.payload)]);
  if (decoded.encodings > 1) noted.add('double_encoded');
  const facts = readFacts(row, decoded.payload, noted);
  const ids = readIds(row, decoded.payload, noted);
  noteOddities(facts, ids, noted);
  const fingerprint = fingerprintVerdict(facts, [ids.taskId, ids.rowTaskId]);
  return {
    format: FORMAT,
    generation: [...noted].some((anomaly) => STRAY.has(anomaly)) ? 'unknown' : '1',
    surface: SURFACE,
    text,
    identity: ids.eventId === null ? null : { format: FORMAT, workspace: ids.workspaceId, event: ids.eventId },
    coordinates: coordinatesOf(ids, facts.createdAt),
    content: contentOf(text, row, decoded.payload, noted),
    createdAt: facts.createdAt,
    toolName: facts.action,
    argumentsFidelity: argumentsFidelity(facts, fingerprint),
    fingerprint,
    anomalies: [...noted].sort(),
    survives: (storedJson) => survives(facts, storedJson),
  };
}

function noteOddities(facts: ReceiptFacts, ids: RecordedIds, anomalies: Set<string>): void {
  if (toolNamed(facts.action) !== facts.action) anomalies.add('alias_resolved');
  if (tasksConflict(ids)) anomalies.add('task_association_conflicting');
  // Cut at the bound with no mark: it may be whole, and can't be told to be.
  if (typeof facts.result === 'string' && characters(facts.result) === RESULT_BOUND) anomalies.add('result_possibly_truncated');
}

function tasksConflict(ids: RecordedIds): boolean {
  return ids.taskId !== null && ids.rowTaskId !== null && ids.taskId !== ids.rowTaskId;
}

function coordinatesOf(ids: RecordedIds, createdAt: string): Coordinates {
  const { taskId, rowTaskId, ...others } = ids;
  return { ...others, taskId: taskId ?? rowTaskId, ...(tasksConflict(ids) ? { rowTaskId } : {}), createdAt };
}

/** One spelling for all: the row's columns with the payload as an object, in canonical form. A lone surrogate has none. */
function contentOf(text: string, row: JsonObject, payload: JsonObject, anomalies: ReadonlySet<string>): string {
  return anomalies.has('lone_surrogate') ? text : canonicalize({ ...row, payload });
}
