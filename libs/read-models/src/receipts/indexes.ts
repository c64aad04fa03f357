import type { ReceiptDocument } from '@counterfoil/contracts';
import type { FieldValue, IndexSpec } from '../port.js';
import { indexable } from '../shared/indexable.js';
import { epochMs, sortable } from '../shared/numbers.js';
import { toolText } from '../shared/tool-text.js';

/** Under this name an imported receipt's coordinates hold the id that its old record had; copies of one receipt share it. */
export const ORIGIN_RECEIPT = 'receiptId';

const inWorkspace = (name: string, ...by: readonly string[]): IndexSpec => ({ name, fields: ['workspace', ...by, 'requestedPosition'] });

/**
 * Each filter of GET /v1/receipts has an index of its own with the workspace first and the position last, so that a page is read in
 * order from where the last one ended, however many receipts there are. `by_lease` alone crosses workspaces: it is the sweeper's.
 */
export const RECEIPT_INDEXES = {
  position: inWorkspace('by_position'),
  user: inWorkspace('by_user', 'user'),
  session: inWorkspace('by_session', 'session'),
  /** In the order in which calls ended, which is another one where they run side by side. */
  sessionEnded: { name: 'by_session_ended', fields: ['workspace', 'session', 'endedPosition'] },
  sessionTurn: inWorkspace('by_session_turn', 'session', 'turn'),
  root: inWorkspace('by_root', 'root'),
  turn: inWorkspace('by_turn', 'turn'),
  task: inWorkspace('by_task', 'task'),
  operation: inWorkspace('by_operation', 'operation'),
  tool: inWorkspace('by_tool', 'tool'),
  toolName: inWorkspace('by_tool_name', 'toolName'),
  status: inWorkspace('by_status', 'status'),
  verification: inWorkspace('by_verification', 'verification'),
  sideEffects: inWorkspace('by_class', 'sideEffects'),
  provenance: inWorkspace('by_provenance', 'provenance'),
  time: inWorkspace('by_time', 'requestedAt'),
  origin: inWorkspace('by_origin', 'originReceipt'),
  lease: { name: 'by_lease', fields: ['leaseUntil'] },
} as const satisfies Record<string, IndexSpec>;

/**
 * The old receipt id that an imported document has in common with other sightings of its receipt, as the index holds it; null for live
 * receipts and for records that had none.
 */
export function originOf({ provenance }: ReceiptDocument): string | null {
  return provenance.kind === 'imported' ? indexable(provenance.coordinates[ORIGIN_RECEIPT] ?? null) : null;
}

/** The values that receipts are filtered and sorted by; a lease is there only while its call is in flight. Times are milliseconds since the epoch, positions are numbers. */
export function receiptFields(doc: ReceiptDocument): Readonly<Record<string, FieldValue>> {
  return {
    workspace: doc.workspaceId,
    user: doc.userId,
    session: doc.sessionId,
    root: doc.rootSessionId,
    turn: doc.turn,
    task: indexable(doc.association.taskId ?? doc.taskId),
    tool: toolText(doc.tool.source, doc.tool.name),
    toolName: doc.tool.name,
    status: doc.status,
    verification: doc.verification.state,
    sideEffects: doc.tool.sideEffects,
    operation: indexable(doc.operationId),
    provenance: doc.provenance.kind,
    originReceipt: originOf(doc),
    requestedAt: doc.times.requested === null ? null : epochMs(doc.times.requested),
    requestedPosition: sortable(doc.requestedPosition),
    endedPosition: doc.endedPosition === null ? null : sortable(doc.endedPosition),
    leaseUntil: doc.leaseUntil === null ? null : epochMs(doc.leaseUntil),
  };
}
