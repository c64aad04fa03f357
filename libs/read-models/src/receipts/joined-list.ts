import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ReceiptDocument } from '@counterfoil/contracts';
import { meets } from '../conditions.js';
import type { Collection, StoredDocument } from '../port.js';
import { decodeCursor, encodeCursor, type Place } from '../shared/cursor.js';
import { comparePlaces, findMerged, pageLimit, placeOf, type FoundPage, type ListPlan, type PageRequest } from '../shared/page.js';
import type { ReadScope } from '../shared/scope.js';
import { readGroups, type SightingGroup } from './groups.js';
import { originOf, receiptFields } from './indexes.js';
import { mergedReceipt } from './merge.js';
import { planMatching } from './plan.js';
import type { Sighting } from './sighting.js';

/** So many documents are read at a time where the first ones didn't fill the page. */
const READ_ON = 200;
/** A page that has something ends after so many documents, also when it isn't full. */
const READ_MOST = 2000;
/** In the cursor of a list that takes whatever there is. */
const NO_BOUND = Number.MAX_SAFE_INTEGER;

/** One list of receipts, as it is read page after page. */
export interface ReceiptList {
  readonly collection: Collection<ReceiptDocument>;
  readonly scope: ReadScope;
  readonly plan: ListPlan;
  readonly binding: string;
}

/**
 * Reads one page of a list in which each old receipt stands once, whatever the number of its sightings: where the canonical one stands,
 * if the filters find that, else where the first one in the list stands that they do find. What is shown there is the merged receipt.
 * Live receipts are shown as they are, and cost no look-up.
 *
 * @param asOf position of the read models at the first page: later sightings are left out of the whole walk, since one that moved a
 *   receipt to a place that was passed would make the walk miss it
 * @throws DomainError `invalid_cursor`, `cursor_mismatch`, `invalid_request` (limit)
 */
export async function joinedPage(list: ReceiptList, page: PageRequest, asOf: number | null): Promise<FoundPage<ReceiptDocument>> {
  const limit = pageLimit(page.limit);
  const items: ReceiptDocument[] = [];
  const { upTo, ...start } = beginning(list, page.cursor, asOf);
  let { after } = start;
  const cursor = (): string | null =>
    after === null ? null : encodeCursor(list.binding, { ...after, values: [...after.values, upTo ?? NO_BOUND] });
  for (let read = 0, size = limit + 1; ; size = READ_ON) {
    const found = await findMerged(list.collection, list.plan, after, size, receiptFields);
    const shown = await shownAt(list, found, upTo);
    for (const [i, item] of found.entries()) {
      const receipt = shown[i] ?? null;
      if (receipt !== null && items.length === limit) return { items, nextCursor: cursor() };
      if (receipt !== null) items.push(receipt);
      after = placeOf(list.plan, item, receiptFields);
    }
    read += found.length;
    if (found.length < size) return { items, nextCursor: null };
    if (items.length > 0 && read >= READ_MOST) return { items, nextCursor: cursor() };
    // Others have their turn: of a receipt with very many sightings a page may have far to go.
    await nextTurn();
  }
}

interface Beginning {
  readonly after: Place | null;
  readonly upTo: number | null;
}

/** A cursor holds the place, and after its values the position up to which the walk takes sightings. */
function beginning({ plan, binding }: ReceiptList, cursor: string | undefined, asOf: number | null): Beginning {
  if (cursor === undefined) return { after: null, upTo: asOf };
  const { values, id } = decodeCursor(cursor, binding, plan.order.length + 1);
  const upTo = values.at(-1) ?? NO_BOUND;
  return { after: { values: values.slice(0, -1), id }, upTo: upTo === NO_BOUND ? null : upTo };
}

/** What stands in the place of each document: itself if it is live, the merged receipt if that is shown here, null if it is shown elsewhere. */
async function shownAt(
  list: ReceiptList,
  found: readonly StoredDocument<ReceiptDocument>[],
  upTo: number | null,
): Promise<readonly (ReceiptDocument | null)[]> {
  const origins = found.map(({ doc }) => originOf(doc));
  const shared = [...new Set(origins)].filter((origin) => origin !== null);
  if (shared.length === 0) return found.map(({ doc }) => doc);
  const groups = await readGroups(list.collection, list.scope, shared, upTo);
  const places = new Map<string, string | null>();
  for (const [origin, group] of groups) places.set(origin, await placeInList(list, origin, group, upTo));
  return found.map(({ doc }, i) => {
    const origin = origins[i] ?? null;
    if (origin === null) return doc;
    const group = groups.get(origin);
    return group === undefined || places.get(origin) !== doc.receiptId ? null : mergedReceipt(group);
  });
}

/** Id of the sighting at whose place a list shows the receipt; null if the filters find none of them. */
async function placeInList(list: ReceiptList, origin: string, group: SightingGroup, upTo: number | null): Promise<string | null> {
  const { plan, collection } = list;
  const matching = group.sightings.filter(({ fields }) => plan.wheres.some((where) => meets(fields, where)));
  const canonical = matching.find(({ receiptId }) => receiptId === group.canonical.receiptId);
  if (canonical !== undefined) return canonical.receiptId;
  if (group.complete) return firstInList(plan, matching);
  // Which one of more sightings than are held comes first, the store says.
  const [first] = await findMerged(collection, planMatching(plan, origin, upTo), null, 1, receiptFields);
  return first?.doc.receiptId ?? null;
}

function firstInList({ order, direction }: ListPlan, sightings: readonly Sighting[]): string | null {
  const sign = direction === 'asc' ? 1 : -1;
  const placed = sightings.map(({ receiptId, fields }) => ({ values: order.map((name) => Number(fields[name])), id: receiptId }));
  return placed.sort((a, b) => sign * comparePlaces(a, b))[0]?.id ?? null;
}
