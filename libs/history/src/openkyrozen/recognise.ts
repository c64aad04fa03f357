import type { QuarantineReason } from '../quarantine-reasons.js';
import type { NotAReceipt, PutAside, Recognition } from '../recognition.js';
import { recogniseBare } from './bare-record.js';
import { callsIn, holdsCallText, mayHoldCalls } from './calls-in.js';
import { recogniseRow } from './event-row.js';
import { isObject, readJson } from './json-text.js';
import type { JsonReading } from './json-text.js';
import { refuseUnreadable } from './reading.js';
import type { Reading } from './reading.js';
import { recognised } from './recognised.js';
import { RecordRefused } from './refused.js';
import { isReceiptEvent, OTHER_SURFACE, surfaceOfEvent, TASK_SURFACE, TRANSITION_SURFACE, UNREADABLE_SURFACE } from './surfaces/names.js';
import { isTaskRow, recogniseTask } from './task-record.js';

export { FORMAT } from './surfaces/names.js';

const MAX_ENCODINGS = 2;

/** Words without which no text is, or holds, a tool call or a task: most lines of an export have none of them. */
const SIGNS = ['receipt', 'evidence', '"action"', 'tool_records', '"status"', 'task.', '\\'];

const aside = (surface: string, reason: QuarantineReason): PutAside => ({ kind: 'quarantine', surface, reason, entry: null });

/**
 * What one line or row of OpenKyrozen's history is, and what stands inside of it. Total: any text gets an answer, none is thrown at.
 *
 * @param text the record, decoded, without line end or byte-order mark
 * @param invalidUtf8 whether its bytes were not all UTF-8
 */
export function recognise(text: string, invalidUtf8 = false): Recognition {
  const { reading, json, encodings } = decoded(text);
  if (!reading.ok) return recognised(aside(UNREADABLE_SURFACE, reading.reason));
  if (reading.ambiguity === 'duplicate_key') return recognised(aside(UNREADABLE_SURFACE, 'duplicate_key'));
  const { value, ambiguity } = reading;
  if (!isObject(value)) return recognised(recogniseOther(value, json));
  const anomalies = [...reading.anomalies, ...(encodings > 0 ? ['double_encoded'] : [])];
  const around: Reading = { text: json, anomalies, invalidUtf8, ambiguity };
  try {
    if (isTaskRow(value)) {
      refuseUnreadable(around);
      return recogniseTask(value, anomalies);
    }
    return typeof value['event_type'] === 'string' ? recogniseRow(value, around) : recogniseBare(value, around);
  } catch (error) {
    if (error instanceof RecordRefused) return recognised(aside(surfaceOf(value), error.reason));
    throw error;
  }
}

function surfaceOf(value: Readonly<Record<string, unknown>>): string {
  if (isTaskRow(value)) return TASK_SURFACE;
  const type = value['event_type'];
  if (typeof type !== 'string') return 'receipt';
  if (type.startsWith('task.')) return TRANSITION_SURFACE;
  return isReceiptEvent(type) ? type : surfaceOfEvent(type);
}

/** A text that was cut, or encoded once more than anybody does, and lists in lists: put aside where a call may be in there. */
function recogniseOther(value: unknown, json: string): PutAside | NotAReceipt {
  const isLost =
    typeof value === 'string'
      ? ENCODED.test(value) && mayHoldCalls(value)
      : mayHoldCalls(json) && (callsIn(value, '').length > 0 || holdsCallText(value));
  if (!isLost) return { kind: 'not_a_receipt', surface: OTHER_SURFACE };
  const inner = typeof value === 'string' ? readJson(value) : null;
  if (inner === null) return aside(UNREADABLE_SURFACE, 'unsupported_surface');
  return aside(UNREADABLE_SURFACE, inner.ok || inner.reason === 'not_json' ? 'payload_unreadable' : inner.reason);
}

/** How the JSON text of an object or a list begins, if it was encoded a few times. */
const ENCODED = /^[\s"\\]{0,16}[{[]/;

/** An exporter may have written each record as JSON text of its JSON text. */
function decoded(text: string): { readonly reading: JsonReading; readonly json: string; readonly encodings: number } {
  let json = text;
  let reading = readText(json);
  for (let encodings = 0; ; encodings++) {
    if (!reading.ok || typeof reading.value !== 'string' || encodings === MAX_ENCODINGS) return { reading, json, encodings };
    const inner = readText(reading.value);
    // A text that is no JSON is a text.
    if (!inner.ok) return { reading, json, encodings };
    json = reading.value;
    reading = inner;
  }
}

/** A text with no sign of a call is parsed and nothing more: no doubled key can hide one in it. */
function readText(text: string): JsonReading {
  if (SIGNS.some((sign) => text.includes(sign))) return readJson(text);
  try {
    return { ok: true, value: JSON.parse(text), ambiguity: null, anomalies: [] };
  } catch {
    return readJson(text);
  }
}
