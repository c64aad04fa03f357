import { DomainError } from '@counterfoil/contracts';
import type { AccessRegistry } from '@counterfoil/ledger';
import type { LedgerRequest } from './request.js';
import { ROUTE_ROLES } from './route-roles.js';

const BEARER = /^Bearer +([^\s]+)$/i;

/**
 * First who it is (401), then whether its roles allow the route (403); what it may reach comes with each command and query (404). Runs
 * before the body is read, so that nobody without a key makes the server hold one.
 *
 * @throws DomainError `unauthenticated`, `forbidden`
 */
export async function checkAccess(access: AccessRegistry, request: LedgerRequest): Promise<void> {
  const route = request.routeOptions.url;
  // No such route: answered as missing, whoever asks.
  if (route === undefined || request.is404) return;
  const allowed = ROUTE_ROLES[`${request.method} ${route}`];
  if (allowed === 'public') return;
  const secret = BEARER.exec(request.headers.authorization ?? '')?.[1];
  const scope = secret === undefined ? null : await access.authenticate(secret);
  if (scope === null) throw new DomainError('unauthenticated', 'The key is missing, unknown, revoked or expired.');
  if (allowed === undefined || !scope.roles.some((role) => allowed.includes(role))) {
    throw new DomainError('forbidden', `This route needs one of the roles: ${allowed?.join(', ') ?? 'none has it'}.`);
  }
  request.scope = scope;
}
