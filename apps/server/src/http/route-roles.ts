import type { Role } from '@counterfoil/contracts';

/** Who may use a route: anybody, or a key with one of these roles. */
export type RouteAccess = 'public' | readonly Role[];

const READERS: readonly Role[] = ['agent', 'approver', 'auditor'];

/**
 * The one table of route and role (docs/security.md shows it, and a test walks both). A route that isn't listed is refused: access is
 * given, never left open.
 */
export const ROUTE_ROLES: Readonly<Record<string, RouteAccess>> = {
  'GET /health/live': 'public',
  'GET /health/ready': 'public',
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
  'GET /v1/approvals': READERS,
  'GET /v1/approvals/:id': READERS,
  'POST /v1/approvals/:id/grant': ['approver'],
  'POST /v1/approvals/:id/deny': ['approver'],
  'GET /v1/receipts': READERS,
  'GET /v1/receipts/:id': READERS,
  'POST /v1/keys': ['admin', 'operator'],
  'GET /v1/keys': ['admin'],
  'DELETE /v1/keys/:id': ['admin'],
};
