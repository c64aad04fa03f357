export { APPROVAL_INDEXES, approvalFields, approvalKey, approvalsProjection } from './projection.js';
export {
  ApprovalListQuery,
  countOpenApprovals,
  dueApprovals,
  findApprovals,
  getApproval,
  planApprovals,
  splitApprovalQuery,
} from './queries.js';
export type { ApprovalFilters } from './queries.js';
