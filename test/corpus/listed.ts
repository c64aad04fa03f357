import type { ReceiptDocument } from '@counterfoil/contracts';
import { findReceipts, openSqliteDocumentStore, RECEIPT_INDEXES, receiptFields } from '@counterfoil/read-models';

/**
 * The receipts as a list shows them: those of one old receipt id joined into one (decision 0010).
 *
 * @param file of a document store: a new one
 * @returns in the order in which the records of them stood
 */
export async function listed(file: string, receipts: readonly ReceiptDocument[]): Promise<readonly ReceiptDocument[]> {
  const store = await openSqliteDocumentStore({ file });
  try {
    const collection = await store.collection<ReceiptDocument>({ name: 'receipts', indexes: Object.values(RECEIPT_INDEXES) });
    await collection.bulkWrite(receipts.map((doc) => ({ id: doc.receiptId, expected: null, guard: 1n, doc, fields: receiptFields(doc) })));
    const found: ReceiptDocument[] = [];
    let cursor: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof findReceipts>> = await findReceipts(
        collection,
        { workspaceId: 'default', userId: null },
        {},
        cursor === null ? {} : { cursor },
      );
      found.push(...page.items);
      cursor = page.nextCursor;
    } while (cursor !== null);
    const order = new Map(receipts.map(({ receiptId }, index) => [receiptId, index]));
    return found.sort((a, b) => (order.get(a.receiptId) ?? 0) - (order.get(b.receiptId) ?? 0));
  } finally {
    await store.close();
  }
}
