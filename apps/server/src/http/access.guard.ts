import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { DomainError } from '@counterfoil/contracts';
import type { LedgerRequest } from './request.js';
import { ROUTE_ROLES } from './route-roles.js';

/** The second lock: no handler of a route that isn't public runs without the scope that checkAccess gave, before the body was read. */
@Injectable()
export class AccessGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<LedgerRequest>();
    const isPublic = ROUTE_ROLES[`${request.method} ${request.routeOptions.url ?? ''}`] === 'public';
    if (!isPublic && request.scope === undefined) throw new DomainError('unauthenticated', 'The request was not authenticated.');
    return true;
  }
}
