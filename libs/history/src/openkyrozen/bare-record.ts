import type { CallRecord, Coordinates, Recognition } from '../recognition.js';
import { callRecord } from './call-record.js';
import { callsIn, holdsCallText, looksLikeCall, mayHoldCalls } from './calls-in.js';
import { recogniseEntries } from './containers.js';
import type { Container } from './containers.js';
import type { RecordedIds } from './coordinates.js';
import { FieldReader } from './field-reader.js';
import { isObject } from './json-text.js';
import type { JsonObject } from './json-text.js';
import { decodePayload } from './payload.js';
import { refuseUnreadable } from './reading.js';
import type { Reading } from './reading.js';
import { recognised } from './recognised.js';
import { RecordRefused } from './refused.js';
import { FORMAT, OTHER_SURFACE } from './surfaces/names.js';

const has = (object: JsonObject, key: string): boolean => Object.hasOwn(object, key);
/** An object, or what may be the JSON text of one, however often it was encoded. */
const isHeld = (value: unknown): boolean => isObject(value) || (typeof value === 'string' && /^\s{0,9}["{]/.test(value));

const NOTHING = { kind: 'not_a_receipt', surface: OTHER_SURFACE } as const;

/** What streams and terminals called the event that shows a receipt. */
const RECEIPT_SHOWN = 'tool_receipt';

/** Lists in which sub-agents' runs kept their calls. */
const RECORD_LIST = /\/(?:tool_records|tool_receipts|parent_receipts)\/\d+$/;

/** What an object is that is neither an event row nor a task row. @throws RecordRefused if it is, or holds, a call that can't be read */
export function recogniseBare(object: JsonObject, reading: Reading): Recognition {
  const surface = bareSurface(object);
  if (surface !== null) {
    refuseUnreadable(reading);
    return recognised(bareRecord(surface, object, reading));
  }
  const found = mayHoldCalls(reading.text) ? callsIn(withPayload(object), '') : [];
  if (found.length === 0) {
    if (mayHoldCalls(reading.text) && holdsCallText(object)) throw new RecordRefused('unsupported_surface');
    return recognised(NOTHING);
  }
  refuseUnreadable(reading);
  // Whether it is a receipt, or shows a copy of one, nobody can tell.
  if (!found.every(({ member }) => member !== null && RECORD_LIST.test(member))) throw new RecordRefused('unsupported_surface');
  // A run that stands alone: no event of it is known, so this is all there is of its calls.
  const run: Container = { found, type: 'subagent.run', ids: {}, createdAt: null, scopes: [], as: 'receipt' };
  return recognised(NOTHING, found.length, () => recogniseEntries(run));
}

/** With the payload as an object: it may be a row that lost the name of its event. @throws RecordRefused if it can't be told what it holds */
function withPayload(object: JsonObject): JsonObject {
  const payload = has(object, 'payload') ? object['payload'] : null;
  if (typeof payload !== 'string' || !isHeld(payload) || !mayHoldCalls(payload)) return object;
  const decoded = decodePayload(payload);
  if ('reason' in decoded) throw new RecordRefused(decoded.reason);
  return { ...object, payload: decoded.payload };
}

/** The surface of a call that stands alone; null for anything else. */
function bareSurface(object: JsonObject): string | null {
  if (isHeld(object[RECEIPT_SHOWN])) return 'stream';
  if (isShownByTerminal(object)) return 'terminal';
  if (!looksLikeCall(object)) return has(object, 'receipt_id') && has(object, 'success') ? 'receipt' : formOfNothing(object);
  return formOf(object);
}

/** A receipt in an envelope. What learning called receipts stood in envelopes too. */
function isShownByTerminal(object: JsonObject): boolean {
  const { receipt } = object;
  if (!isHeld(receipt) || !['event', 'request_id', 'v'].some((key) => has(object, key))) return false;
  return object['event'] === RECEIPT_SHOWN || !isObject(receipt) || looksLikeCall(receipt);
}

/** An event that says that it shows a receipt, and has none that can be read. */
function formOfNothing(object: JsonObject): string | null {
  if (object['event'] !== RECEIPT_SHOWN) return null;
  return has(object, 'receipt') ? 'terminal' : 'stream';
}

/** A receipt, a piece of evidence or a sub-agent's record: by the keys that only one of them has. */
function formOf(object: JsonObject): string {
  if (['operation_id', 'started_at', 'completed_at', 'call_id'].some((key) => has(object, key))) {
    return has(object, 'evidence') ? 'subagent.record' : 'receipt';
  }
  if (has(object, 'authorized')) return 'subagent.record';
  const isAddressed = has(object, 'task_id') || has(object, 'ordered_plan');
  return has(object, 'receipt_id') && !isAddressed ? 'receipt' : 'evidence';
}

/** What else tells one record from another: a terminal gave a receipt once for each request that asked for it. */
function moreOf(surface: string, object: JsonObject, anomalies: Set<string>): Coordinates {
  if (surface === 'terminal') {
    const requestId = typeof object['request_id'] === 'string' ? new FieldReader(object, anomalies).identifier('request_id') : null;
    return { requestId };
  }
  return surface === 'evidence' && typeof object['task_id'] === 'string' ? { addressed: 'yes' } : {};
}

/**
 * Streams and terminals gave one receipt again when it was given a task, so that the task is part of what a record is known by. One with
 * an identifier that can't be kept is known by its content: the others of its kind would meet it.
 */
function identify(surface: string, more: Coordinates): (ids: RecordedIds, unusable: boolean) => Coordinates | null {
  return ({ receiptId, workspaceId, taskId }, unusable) =>
    receiptId === null || unusable ? null : { format: FORMAT, surface, workspace: workspaceId, receipt: receiptId, task: taskId, ...more };
}

function bareRecord(surface: string, object: JsonObject, { anomalies }: Reading): CallRecord {
  const noted = new Set(anomalies);
  const more = moreOf(surface, object, noted);
  return callRecord({
    kind: 'receipt',
    surface,
    record: object,
    row: null,
    identify: identify(surface, more),
    anomalies: [...noted],
    more,
  });
}
