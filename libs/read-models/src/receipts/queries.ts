import type { ReceiptDocument } from '@counterfoil/contracts';
import type { Collection } from '../port.js';
import type { FoundPage, PageRequest } from '../shared/page.js';
import { inScope, type ReadScope } from '../shared/scope.js';
import type { ReceiptFilters } from './filters.js';
import { readGroups } from './groups.js';
import { originOf, RECEIPT_INDEXES } from './indexes.js';
import { joinedPage } from './joined-list.js';
import { mergedReceipt } from './merge.js';
import { planReceipts, receiptsBinding } from './plan.js';

/**
 * GET /v1/receipts: one page, newest first (see planReceipts for the order), each old receipt once.
 *
 * @param asOf position up to which the collection holds everything; the first page's holds for the whole walk. Null takes what there is
 * @throws DomainError `invalid_cursor`, `cursor_mismatch`, `invalid_request` (limit)
 */
export function findReceipts(
  collection: Collection<ReceiptDocument>,
  scope: ReadScope,
  filters: ReceiptFilters,
  page: PageRequest = {},
  asOf: bigint | null = null,
): Promise<FoundPage<ReceiptDocument>> {
  const list = { collection, scope, plan: planReceipts(scope, filters), binding: receiptsBinding(scope, filters) };
  return joinedPage(list, page, asOf === null ? null : Number(asOf));
}

/**
 * GET /v1/receipts/{id}: the receipt with whatever its other sightings say, for the id of any of them. Null if there is none, and just so
 * if it is another workspace's, or for agents another user's.
 */
export async function readReceipt(
  collection: Collection<ReceiptDocument>,
  scope: ReadScope,
  receiptId: string,
): Promise<ReceiptDocument | null> {
  const doc = await getReceipt(collection, scope, receiptId);
  const origin = doc === null ? null : originOf(doc);
  if (origin === null) return doc;
  const group = (await readGroups(collection, scope, [origin], null)).get(origin);
  return group === undefined ? doc : mergedReceipt(group);
}

/** One document as it stands, not joined with anything. Null as of readReceipt. */
export async function getReceipt(
  collection: Collection<ReceiptDocument>,
  scope: ReadScope,
  receiptId: string,
): Promise<ReceiptDocument | null> {
  const doc = (await collection.get(receiptId))?.doc ?? null;
  return doc !== null && inScope(scope, doc) ? doc : null;
}

/**
 * For the sweeper, across workspaces: calls that were dispatched and whose lease has ended, the longest overdue first (promise 20).
 *
 * @param now milliseconds since the epoch
 */
export async function lostLeases(collection: Collection<ReceiptDocument>, now: number, limit: number): Promise<readonly ReceiptDocument[]> {
  const found = await collection.find({
    index: RECEIPT_INDEXES.lease.name,
    // Calls that are not in flight hold null there, which no range contains.
    where: { leaseUntil: { lte: now } },
    order: RECEIPT_INDEXES.lease.fields,
    direction: 'asc',
    limit,
  });
  return found.map(({ doc }) => doc);
}

/** For the metrics, across workspaces: how many calls are in flight, overdue ones among them. */
export function countOpenLeases(collection: Collection<ReceiptDocument>): Promise<number> {
  return collection.count(RECEIPT_INDEXES.lease.name, { leaseUntil: { gte: 0 } });
}
