import type { LedgerRequest } from './request.js';

/** The position that a query is to wait for (`Counterfoil-Min-Position`), as it was sent; null without one. */
export function minPosition(request: LedgerRequest): string | null {
  const header = request.headers['counterfoil-min-position'];
  return typeof header === 'string' ? header : null;
}
