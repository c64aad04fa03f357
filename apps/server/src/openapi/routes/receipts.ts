import { CopyListQuery, ReceiptListQuery } from '@counterfoil/read-models';
import { z } from 'zod';
import { GetReceiptParams } from '../../receipts/queries.js';
import { answered, MIN_POSITION, named, PAGE_PROBLEMS, QUERY_PROBLEMS, type RouteEntry } from '../route-entry.js';
import { CompatReceipt, pageOf, Receipt, ReceiptCopy } from '../schemas.js';

export const RECEIPT_ROUTES: readonly RouteEntry[] = [
  {
    route: 'GET /v1/receipts',
    id: 'findReceipts',
    tag: 'receipts',
    summary: 'List receipts, newest first',
    description:
      'Receipts do not complete tasks; they are what evidence may rest on. Filters look at each imported record; records that share an old receipt id are sightings of one receipt, which is listed once, merged.',
    query: ReceiptListQuery,
    headers: [MIN_POSITION],
    answers: answered('A page.', named('ReceiptPage', pageOf(Receipt))),
    problems: PAGE_PROBLEMS,
  },
  {
    route: 'GET /v1/receipts/:id',
    id: 'getReceipt',
    tag: 'receipts',
    summary: 'Read a receipt',
    description:
      'A receipt shows what was asked, what was authorised, and what the runner said happened. Receipts do not complete tasks. Of an imported one the id of any of its sightings will do: the answer is the merged receipt, under the id of the canonical one. With `view=compat` that one record in the keys of receipts from before Counterfoil, for rendering only.',
    query: GetReceiptParams,
    headers: [MIN_POSITION],
    answers: answered('The receipt.', named('ReceiptAnswer', z.union([Receipt, CompatReceipt]))),
    problems: QUERY_PROBLEMS,
  },
  {
    route: 'GET /v1/receipt-copies',
    id: 'findReceiptCopies',
    tag: 'receipts',
    summary: 'List copies of receipts that stood in other records of old systems, the last imported first',
    description: 'A copy is no receipt of its own: it is found by the receipt id that the old records share (`receipt`).',
    query: CopyListQuery,
    headers: [MIN_POSITION],
    answers: answered('A page.', named('ReceiptCopyPage', pageOf(ReceiptCopy))),
    problems: PAGE_PROBLEMS,
  },
];
