export { QUARANTINE_INDEXES, quarantineFields, quarantineProjection } from './projection.js';
export { countQuarantined, findQuarantined, planQuarantined, QuarantineListQuery, splitQuarantineQuery } from './queries.js';
export type { QuarantineFilters, QuarantineScope } from './queries.js';
