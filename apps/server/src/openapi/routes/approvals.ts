import { CallAnswer, DenyBody, GrantBody } from '@counterfoil/contracts';
import { ApprovalListQuery } from '@counterfoil/read-models';
import { answered, COMMAND_PROBLEMS, MIN_POSITION, named, PAGE_PROBLEMS, QUERY_PROBLEMS, type RouteEntry } from '../route-entry.js';
import { Approval, ApprovalShown, pageOf } from '../schemas.js';

const answer = named('CallAnswer', CallAnswer);

export const APPROVAL_ROUTES: readonly RouteEntry[] = [
  {
    route: 'GET /v1/approvals',
    id: 'findApprovals',
    tag: 'approvals',
    summary: 'List approvals: newest first, or the soonest to expire',
    query: ApprovalListQuery,
    headers: [MIN_POSITION],
    answers: answered('A page.', named('ApprovalPage', pageOf(Approval))),
    problems: PAGE_PROBLEMS,
  },
  {
    route: 'GET /v1/approvals/:id',
    id: 'getApproval',
    tag: 'approvals',
    summary: 'Read an approval, with exactly what would run',
    headers: [MIN_POSITION],
    answers: answered('The approval and the call.', named('ApprovalShown', ApprovalShown)),
    problems: QUERY_PROBLEMS,
  },
  {
    route: 'POST /v1/approvals/:id/grant',
    id: 'grantApproval',
    tag: 'approvals',
    summary: 'Grant, as shown or with edited arguments',
    description: 'Names the operation that was shown. Whoever requested a call can not approve it.',
    body: named('GrantBody', GrantBody),
    answers: answered('The call.', answer),
    problems: [
      ...COMMAND_PROBLEMS,
      'four_eyes',
      'approval_expired',
      'approval_decided',
      'approval_voided',
      'operation_mismatch',
      'amendment_invalid',
      'amendment_needs_vault',
      'too_large_to_approve',
    ],
  },
  {
    route: 'POST /v1/approvals/:id/deny',
    id: 'denyApproval',
    tag: 'approvals',
    summary: 'Deny',
    body: named('DenyBody', DenyBody),
    answers: answered('The call, denied.', answer),
    problems: [...COMMAND_PROBLEMS, 'four_eyes', 'approval_expired', 'approval_decided', 'approval_voided', 'operation_mismatch'],
  },
];
