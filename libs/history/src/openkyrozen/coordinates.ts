import type { Coordinates } from '../recognition.js';
import { FieldReader } from './field-reader.js';
import type { JsonObject } from './json-text.js';

/** Identifiers as recorded, each null if there is none that can be kept as one. */
export interface RecordedIds {
  readonly eventId: string | null;
  readonly receiptId: string | null;
  readonly workspaceId: string | null;
  readonly userId: string | null;
  readonly sessionId: string | null;
  /** The one in the receipt and the one of the row around it. */
  readonly taskId: string | null;
  readonly rowTaskId: string | null;
}

/**
 * The identifiers of a call and of the row around it; of one that stands alone those that it says itself (generation 3).
 *
 * @throws RecordRefused `wrong_type` for an id that is neither text nor null
 */
export function readIds(row: JsonObject | null, call: JsonObject, anomalies: Set<string>): RecordedIds {
  const inCall = new FieldReader(call, anomalies);
  const around = row === null ? inCall : new FieldReader(row, anomalies);
  return {
    eventId: row === null ? null : around.identifier('id'),
    receiptId: inCall.identifier('receipt_id'),
    workspaceId: around.identifier('workspace_id'),
    userId: around.identifier('user_id'),
    sessionId: around.identifier('session_id'),
    taskId: inCall.identifier('task_id'),
    rowTaskId: row === null ? null : around.identifier('task_id'),
  };
}

export function tasksConflict(ids: Pick<RecordedIds, 'taskId' | 'rowTaskId'>): boolean {
  return ids.taskId !== null && ids.rowTaskId !== null && ids.taskId !== ids.rowTaskId;
}

/** What identifies a call in its source, as it is stored: two tasks only where they differ. */
export function coordinatesOf(ids: RecordedIds, createdAt: string | null, more: Coordinates = {}): Coordinates {
  const { taskId, rowTaskId, ...others } = ids;
  return { ...others, taskId: taskId ?? rowTaskId, ...(tasksConflict(ids) ? { rowTaskId } : {}), ...more, createdAt };
}
