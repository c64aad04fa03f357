import type { AccessScope, Role } from '@counterfoil/contracts';

/** Roles that read a whole workspace; an agent without one of them reaches its own user's sessions only. */
const WORKSPACE_READERS: readonly Role[] = ['approver', 'auditor'];

/** The scope of a query: null for the whole workspace, else one user's part of it. */
export function userScope(scope: AccessScope): string | null {
  return scope.roles.some((role) => WORKSPACE_READERS.includes(role)) ? null : scope.userId;
}

/** True when the scope may reach what belongs to this user; the workspace was matched by the stream's name. */
export function reachesUser(scope: AccessScope, userId: string | null): boolean {
  const only = userScope(scope);
  return scope.roles.some((role) => WORKSPACE_READERS.includes(role)) || (only !== null && only === userId);
}
