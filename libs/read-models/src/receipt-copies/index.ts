export { COPY_INDEXES, copyFields, receiptCopiesProjection } from './projection.js';
export { CopyListQuery, findCopies, planCopies, splitCopyQuery } from './queries.js';
export type { CopyFilters } from './queries.js';
