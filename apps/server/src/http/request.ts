import type { AccessScope } from '@counterfoil/contracts';
import type { CommandOrigin } from '@counterfoil/ledger';
import type { FastifyRequest } from 'fastify';

/** A request as our guard leaves it. */
export type LedgerRequest = FastifyRequest & { scope?: AccessScope };

/** @throws TypeError on a public route: no handler of one may ask */
export function scopeOf(request: LedgerRequest): AccessScope {
  if (request.scope === undefined) throw new TypeError('this route has no authenticated scope');
  return request.scope;
}

const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

/** What goes into the metadata of the events that a request leads to. */
export function originOf(request: LedgerRequest, occurredAt: string | null = null): CommandOrigin {
  const scope = scopeOf(request);
  const traceparent = request.headers['traceparent'];
  return {
    actor: { principal: scope.principal, keyId: scope.keyId },
    roles: scope.roles,
    occurredAt,
    correlationId: request.id,
    traceparent: typeof traceparent === 'string' && TRACEPARENT.test(traceparent) ? traceparent : null,
  };
}
