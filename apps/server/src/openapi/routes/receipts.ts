import { ReceiptListQuery } from '@counterfoil/read-models';
import { z } from 'zod';
import { GetReceiptParams } from '../../receipts/queries.js';
import { answered, MIN_POSITION, named, PAGE_PROBLEMS, QUERY_PROBLEMS, type RouteEntry } from '../route-entry.js';
import { CompatReceipt, pageOf, Receipt } from '../schemas.js';

export const RECEIPT_ROUTES: readonly RouteEntry[] = [
  {
    route: 'GET /v1/receipts',
    id: 'findReceipts',
    tag: 'receipts',
    summary: 'List receipts, newest first',
    description: 'Receipts do not complete tasks; they are what evidence may rest on.',
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
      'A receipt shows what was asked, what was authorised, and what the runner said happened. Receipts do not complete tasks. With `view=compat` in the keys of receipts from before Counterfoil, for rendering only.',
    query: GetReceiptParams,
    headers: [MIN_POSITION],
    answers: answered('The receipt.', named('ReceiptAnswer', z.union([Receipt, CompatReceipt]))),
    problems: QUERY_PROBLEMS,
  },
];
