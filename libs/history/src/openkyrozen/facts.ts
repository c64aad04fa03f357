import { characters } from '@counterfoil/contracts';
import { FieldReader } from './field-reader.js';
import { isObject } from './json-text.js';
import type { JsonObject } from './json-text.js';
import { RecordRefused } from './refused.js';
import { toolNamed } from './tools.js';

const MAX_TOOL_NAME = 256;

/** What was kept of the arguments. */
export type RecordedArguments =
  | { readonly kind: 'absent' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'object'; readonly value: JsonObject }
  | { readonly kind: 'other'; readonly value: unknown };

/** What an event row says of a call; read alike from the record as it came and from the redacted one that is stored. */
export interface ReceiptFacts {
  /** The tool's canonical name. */
  readonly tool: string;
  readonly action: string;
  readonly arguments: RecordedArguments;
  readonly success: boolean | null;
  readonly authorized: boolean | null;
  readonly exitCode: number | null;
  readonly failure: string | null;
  readonly operationId: string | null;
  /** Any JSON value; null if none. */
  readonly result: unknown;
  readonly verifiedEffect: string | null;
  /** In UTC, with the fraction as stored. */
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  readonly createdAt: string;
}

/** Identifiers as recorded, each null if there is none that can be kept as one. */
export interface RecordedIds {
  readonly eventId: string | null;
  readonly receiptId: string | null;
  readonly workspaceId: string | null;
  readonly userId: string | null;
  readonly sessionId: string | null;
  /** The one in the receipt and the one in the row's column. */
  readonly taskId: string | null;
  readonly rowTaskId: string | null;
}

function readArguments(value: unknown): RecordedArguments {
  if (value === null) return { kind: 'absent' };
  if (typeof value === 'string') return { kind: 'text', text: value };
  return isObject(value) ? { kind: 'object', value } : { kind: 'other', value };
}

function readAction(reader: FieldReader): string {
  const action = reader.identity('action');
  if (action === null) throw new RecordRefused('no_tool');
  if (action.trim() === '' || !action.isWellFormed() || characters(action) > MAX_TOOL_NAME) throw new RecordRefused('tool_name_invalid');
  return action;
}

/**
 * Reads what an event row and its payload say.
 *
 * @param anomalies gets what is odd and was read all the same
 * @throws RecordRefused if it names no tool, or an identity or a time is unreadable
 */
export function readFacts(row: JsonObject, payload: JsonObject, anomalies: Set<string>): ReceiptFacts {
  const reader = new FieldReader(payload, anomalies);
  const action = readAction(reader);
  const createdAt = new FieldReader(row, anomalies).time('created_at');
  if (createdAt === null) throw new RecordRefused('time_missing');
  const success = reader.flag('success');
  const failure = reader.code('failure');
  if (success === false && failure === null) anomalies.add('failed_without_failure_code');
  const effect = reader.value('verified_effect');
  return {
    tool: toolNamed(action),
    action,
    arguments: readArguments(reader.value('args')),
    success,
    authorized: reader.flag('authorized'),
    exitCode: reader.exitCode('exit_code'),
    failure,
    operationId: reader.identifier('operation_id'),
    result: reader.value('result'),
    verifiedEffect: typeof effect === 'string' ? effect : null,
    startedAt: reader.time('started_at'),
    completedAt: reader.time('completed_at'),
    createdAt,
  };
}

/** @throws RecordRefused `wrong_type` for an id that is neither text nor null */
export function readIds(row: JsonObject, payload: JsonObject, anomalies: Set<string>): RecordedIds {
  const inRow = new FieldReader(row, anomalies);
  const inPayload = new FieldReader(payload, anomalies);
  return {
    eventId: inRow.identifier('id'),
    receiptId: inPayload.identifier('receipt_id'),
    workspaceId: inRow.identifier('workspace_id'),
    userId: inRow.identifier('user_id'),
    sessionId: inRow.identifier('session_id'),
    taskId: inPayload.identifier('task_id'),
    rowTaskId: inRow.identifier('task_id'),
  };
}
