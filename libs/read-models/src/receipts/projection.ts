import type { LedgerEvent, ReceiptDocument } from '@counterfoil/contracts';
import type { Projection } from '../projection.js';
import { evolveReceipt, NAME, type ReceiptEvent } from './evolve.js';
import { RECEIPT_INDEXES, receiptFields } from './indexes.js';

/** One receipt per tool call, live (session streams) or imported (history streams). The document's id is the receipt id. */
export const receiptsProjection: Projection<ReceiptDocument> = {
  name: NAME,
  indexes: Object.values(RECEIPT_INDEXES),
  idOf: (event) => (isReceiptEvent(event) ? event.data.receiptId : null),
  evolve: (doc, event) => (isReceiptEvent(event) ? evolveReceipt(doc, event) : doc),
  fields: receiptFields,
};

/** Every event that names a receipt as its subject; a SessionOpened with a parent call names another session's. */
function isReceiptEvent(event: LedgerEvent): event is ReceiptEvent {
  return 'receiptId' in event.data;
}
