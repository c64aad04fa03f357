import type { Role } from '@counterfoil/contracts';

/** Who may use a route: anybody, or a key with one of these roles. */
export type RouteAccess = 'public' | readonly Role[];

const READERS: readonly Role[] = ['agent', 'approver', 'auditor'];
/** Agents for their own user, approvers in the whole workspace. */
const PLANNERS: readonly Role[] = ['agent', 'approver'];
/** Records of old systems: also by whoever imports them. */
const RECORD_READERS: readonly Role[] = [...READERS, 'importer'];
/** Whoever imports, and whoever looks after the workspace. */
const IMPORT_READERS: readonly Role[] = ['auditor', 'importer', 'admin'];
/** Whoever sees calls, or makes the rules, sees the rules. */
const RULE_READERS: readonly Role[] = [...READERS, 'admin'];

/**
 * The one table of route and role (docs/security.md shows it, and a test walks both). A route that isn't listed is refused: access is
 * given, never left open.
 */
export const ROUTE_ROLES: Readonly<Record<string, RouteAccess>> = {
  'GET /health/live': 'public',
  'GET /health/ready': 'public',
  'GET /metrics': 'public',
  'GET /openapi.json': 'public',
  'POST /v1/sessions': ['agent'],
  'GET /v1/sessions': READERS,
  'GET /v1/sessions/:s': READERS,
  'POST /v1/sessions/:s/close': ['agent'],
  'POST /v1/sessions/:s/tool-calls': ['agent'],
  'GET /v1/sessions/:s/tool-calls/:id': READERS,
  'POST /v1/sessions/:s/tool-calls/:id/dispatch': ['agent'],
  'POST /v1/sessions/:s/tool-calls/:id/result': ['agent'],
  'POST /v1/sessions/:s/tool-calls/:id/cancel': ['agent'],
  'POST /v1/sessions/:s/tool-calls/:id/heartbeat': ['agent'],
  'POST /v1/sessions/:s/observed-calls': ['agent'],
  'POST /v1/sessions/:s/legacy-executions': ['agent'],
  'POST /v1/sessions/:s/batch': ['agent'],
  'POST /v1/sessions/:s/plans': PLANNERS,
  'POST /v1/sessions/:s/plans/:p/close': PLANNERS,
  'GET /v1/sessions/:s/plans/:p': READERS,
  'GET /v1/plans': READERS,
  'POST /v1/sessions/:s/tasks': PLANNERS,
  'POST /v1/sessions/:s/tasks/:t/start': PLANNERS,
  'POST /v1/sessions/:s/tasks/:t/block': PLANNERS,
  'POST /v1/sessions/:s/tasks/:t/unblock': PLANNERS,
  'POST /v1/sessions/:s/tasks/:t/complete': PLANNERS,
  'POST /v1/sessions/:s/tasks/:t/fail': PLANNERS,
  'POST /v1/sessions/:s/tasks/:t/cancel': PLANNERS,
  'POST /v1/sessions/:s/tasks/:t/reopen': PLANNERS,
  'GET /v1/sessions/:s/tasks/:t': READERS,
  'GET /v1/tasks': READERS,
  'GET /v1/imported-tasks/:id': RECORD_READERS,
  'POST /v1/sessions/:s/evidence': PLANNERS,
  'GET /v1/approvals': READERS,
  'GET /v1/approvals/:id': READERS,
  'POST /v1/approvals/:id/grant': ['approver'],
  'POST /v1/approvals/:id/deny': ['approver'],
  'GET /v1/receipts': READERS,
  'GET /v1/receipts/:id': READERS,
  'GET /v1/receipt-copies': RECORD_READERS,
  'GET /v1/stream': READERS,
  'POST /v1/tools': ['admin'],
  'POST /v1/tools/retire': ['admin'],
  'GET /v1/tools': RULE_READERS,
  'PUT /v1/policy': ['admin'],
  'GET /v1/policy': RULE_READERS,
  'POST /v1/imports': ['importer'],
  'GET /v1/imports': IMPORT_READERS,
  'GET /v1/imports/:id': IMPORT_READERS,
  'GET /v1/imports/:id/quarantined': IMPORT_READERS,
  'POST /v1/keys': ['admin', 'operator'],
  'GET /v1/keys': ['admin'],
  'DELETE /v1/keys/:id': ['admin'],
};
