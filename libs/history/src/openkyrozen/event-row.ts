import type { CallRecord, Recognised, Recognition, TransitionRecord } from '../recognition.js';
import { saidBy } from './columns.js';
import { callRecord } from './call-record.js';
import { callsIn, mayHoldCalls } from './calls-in.js';
import { recogniseEntries } from './containers.js';
import type { Container } from './containers.js';
import { coordinatesOf, readIds } from './coordinates.js';
import type { RecordedIds } from './coordinates.js';
import { digestsIn } from './digests.js';
import { FieldReader } from './field-reader.js';
import { generationOf } from './generation.js';
import { isObject } from './json-text.js';
import type { JsonObject } from './json-text.js';
import { decodePayload } from './payload.js';
import type { DecodedPayload } from './payload.js';
import { refuseUnreadable } from './reading.js';
import type { Reading } from './reading.js';
import { recognised } from './recognised.js';
import { RecordRefused } from './refused.js';
import { stableText } from './stable-text.js';
import { ledTo } from './statuses.js';
import { FORMAT, isReceiptEvent, OTHER_SURFACE, TRANSITION_SURFACE } from './surfaces/names.js';

const NOTHING = { kind: 'not_a_receipt', surface: OTHER_SURFACE } as const;

const SCOPED_ID = /^task_[0-9a-f]{16}_/;

const rowIdentity = ({ workspaceId, eventId }: Pick<RecordedIds, 'workspaceId' | 'eventId'>) =>
  eventId === null ? null : { format: FORMAT, workspace: workspaceId, event: eventId };

/** What a row of the old event table is. @throws RecordRefused if it is, or may hold, a call that can't be read */
export function recogniseRow(row: JsonObject, reading: Reading): Recognition {
  const type = String(row['event_type']);
  if (isReceiptEvent(type)) {
    refuseUnreadable(reading);
    return recognised(receiptRow(type, row, reading));
  }
  if (type.startsWith('task.')) {
    refuseUnreadable(reading);
    return transitionRow(type, row, reading);
  }
  if (!mayHoldCalls(reading.text)) return recognised(NOTHING);
  refuseUnreadable(reading);
  return withEntries(NOTHING, type, row, payloadOf(row));
}

/** @throws RecordRefused `time_missing`, `time_impossible`, `wrong_type` */
function createdAtOf(row: JsonObject, anomalies: Set<string>): string {
  const createdAt = new FieldReader(row, anomalies).time('created_at');
  if (createdAt === null) throw new RecordRefused('time_missing');
  return createdAt;
}

function receiptRow(surface: string, row: JsonObject, { anomalies }: Reading): CallRecord {
  const noted = new Set(anomalies);
  const createdAt = createdAtOf(row, noted);
  return callRecord({ kind: 'receipt', surface, record: row, row, createdAt, identify: rowIdentity, anomalies: [...noted] });
}

/** @throws RecordRefused */
function payloadOf(row: JsonObject): DecodedPayload {
  const decoded = decodePayload(row['payload']);
  if ('reason' in decoded) throw new RecordRefused(decoded.reason);
  return decoded;
}

function withEntries(whole: Recognised, type: string, row: JsonObject, { payload }: DecodedPayload): Recognition {
  // As if nothing were JSON text in a string: one entry has one place in every export.
  const found = callsIn(payload, '/payload');
  if (found.length === 0) return recognised(whole);
  const noted = new Set<string>();
  const { taskId: _, ...ids } = readIds(row, {}, noted);
  const text = (key: string): string | null => (typeof payload[key] === 'string' ? payload[key] : null);
  const profile = text('profile');
  const container: Container = {
    found,
    type,
    ids,
    createdAt: createdAtOf(row, noted),
    scopes: [text('run_id'), profile === null ? null : `subagent:${profile}`],
    as: 'copy',
  };
  return recognised(whole, found.length, () => recogniseEntries(container));
}

/** A change of a task: the event as it is, and the evidence in it as a copy of what stands in the task's row. */
function transitionRow(type: string, row: JsonObject, reading: Reading): Recognition {
  const noted = new Set(reading.anomalies);
  const createdAt = createdAtOf(row, noted);
  const decoded = payloadOf(row);
  for (const anomaly of decoded.anomalies) noted.add(anomaly);
  if (decoded.encodings > 1) noted.add('double_encoded');
  const ids = readIds(row, {}, noted);
  const { evidence } = decoded.payload;
  const whole = { ...row, payload: decoded.payload };
  const { text, hasLoneSurrogate } = stableText(whole);
  if (hasLoneSurrogate) noted.add('lone_surrogate');
  const transition: TransitionRecord = {
    kind: 'transition',
    format: FORMAT,
    generation: isObject(evidence) && 'action' in evidence ? generationOf('task.evidence', evidence) : generationOfId(ids.rowTaskId),
    surface: TRANSITION_SURFACE,
    text,
    identity: rowIdentity(ids),
    coordinates: coordinatesOf({ ...ids, receiptId: null }, createdAt),
    content: stableText(saidBy(whole)).text,
    createdAt,
    anomalies: [...noted].sort(),
    digests: digestsIn(row),
    survives: (stored) => typeOf(stored) === type,
    transition: type,
    to: ledTo(type),
  };
  return withEntries(transition, type, row, decoded);
}

function generationOfId(taskId: string | null): string {
  return taskId !== null && SCOPED_ID.test(taskId) ? '0b' : '0a';
}

function typeOf(stored: string): unknown {
  const row: unknown = JSON.parse(stored);
  return isObject(row) ? row['event_type'] : null;
}
