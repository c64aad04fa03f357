import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { DomainError } from '@counterfoil/contracts';
import { LEDGER, type Ledger } from '@counterfoil/ledger';
import type { LedgerRequest } from './request.js';
import { ROUTE_ROLES } from './route-roles.js';

const BEARER = /^Bearer +([^\s]+)$/i;

/** First who it is (401), then whether its roles allow the route (403); what it may reach comes with each command and query (404). */
@Injectable()
export class AccessGuard implements CanActivate {
  constructor(@Inject(LEDGER) private readonly ledger: Ledger) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<LedgerRequest>();
    const access = ROUTE_ROLES[`${request.method} ${request.routeOptions.url ?? ''}`];
    if (access === 'public') return true;
    const secret = BEARER.exec(request.headers.authorization ?? '')?.[1];
    const scope = secret === undefined ? null : await this.ledger.access.authenticate(secret);
    if (scope === null) throw new DomainError('unauthenticated', 'The key is missing, unknown, revoked or expired.');
    if (access === undefined || !scope.roles.some((role) => access.includes(role))) {
      throw new DomainError('forbidden', `This route needs one of the roles: ${access?.join(', ') ?? 'none has it'}.`);
    }
    request.scope = scope;
    return true;
  }
}
