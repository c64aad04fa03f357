import type { PlanDocument, ReceiptDocument, SessionDocument, TaskDocument, TaskReading } from '@counterfoil/contracts';

/** What a task's answer takes of a receipt. */
export type ReceiptFacts = Pick<ReceiptDocument, 'receiptId' | 'status' | 'operationId'>;

/**
 * A task as it is read: joined with its plan, its session and its last receipts. Evidence is stale when it rests on less than the last
 * change of its task or of its whole session (promise 15).
 *
 * Each document is fed by its own events alone (promise 27), and all of them by the same stream. One that has not been written yet, or
 * is no more, is passed over: without its plan a task is of none that is active.
 *
 * @param receipts of the task's last calls, in any order, others among them
 */
export function taskReading(
  doc: TaskDocument,
  plan: Pick<PlanDocument, 'state'> | null,
  session: Pick<SessionDocument, 'outdatedAt'> | null,
  receipts: Iterable<ReceiptFacts>,
): TaskReading {
  const { addedPosition: _addedPosition, evidence, lastReceipts, ...rest } = doc;
  const outdatedAt = later(revisionOf(doc.outdatedAt), revisionOf(session?.outdatedAt ?? null));
  const found = new Map([...receipts].map((receipt) => [receipt.receiptId, receipt]));
  return {
    ...rest,
    planState: plan?.state ?? 'closed',
    evidence: evidence.map((one) => ({ ...one, stale: BigInt(one.since) < outdatedAt })),
    lastReceipts: lastReceipts.flatMap((receiptId) => {
      const receipt = found.get(receiptId);
      return receipt === undefined ? [] : [{ receiptId, status: receipt.status, operationId: receipt.operationId }];
    }),
  };
}

const revisionOf = (revision: string | null): bigint => (revision === null ? -1n : BigInt(revision));

const later = (a: bigint, b: bigint): bigint => (a > b ? a : b);
