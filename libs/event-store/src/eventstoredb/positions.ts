import { StoreUnavailableError } from '../errors.js';

/** Positions and revisions are signed 64-bit numbers in the server. */
export const LAST = 2n ** 63n - 1n;

/**
 * A revision or position at the edge to the client, which types it as bigint and has delivered numbers (stack.md,
 * @eventstore/db-client row 7).
 *
 * @throws StoreUnavailableError for anything that is no exact whole number from 0 on
 */
export function exact(value: unknown, what: string): bigint {
  if (typeof value === 'bigint' && value >= 0n && value <= LAST) return value;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return BigInt(value);
  if (typeof value === 'string' && /^[0-9]{1,18}$/.test(value)) return BigInt(value);
  throw new StoreUnavailableError(`the event store answered with no usable ${what}`);
}

/**
 * The commit position of an event of ours: what the port calls its position. For appends of this kind it is the prepare position too.
 *
 * @throws StoreUnavailableError when it isn't there (servers before 22.6 send none) or the two differ
 */
export function positionOf(position: { readonly commit: unknown; readonly prepare: unknown } | undefined): bigint {
  if (position === undefined) throw new StoreUnavailableError('the event store sends no positions; a newer server is needed');
  const commit = exact(position.commit, 'commit position');
  if (exact(position.prepare, 'prepare position') !== commit)
    throw new StoreUnavailableError('the event store answered with two positions');
  return commit;
}
