export { COMPAT_KEYS, compatView } from './compat.js';
export type { CompatView } from './compat.js';
export { ReceiptFilters, ReceiptListQuery, splitReceiptQuery } from './filters.js';
export { ORIGIN_RECEIPT, RECEIPT_INDEXES, receiptFields } from './indexes.js';
export { planReceipts } from './plan.js';
export { receiptsProjection } from './projection.js';
export { countOpenLeases, findReceipts, getReceipt, lostLeases, readReceipt } from './queries.js';
