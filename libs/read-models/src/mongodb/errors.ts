import type { MongoBulkWriteError } from 'mongodb';
import { DocumentStoreUnavailableError } from '../errors.js';

/** Codes of servers that are going down, coming up or handing over, and of time limits: what was sent may or may not have been done. */
const PASSING = new Set([
  6, 7, 50, 64, 89, 91, 112, 133, 134, 136, 175, 189, 237, 262, 317, 358, 384, 9001, 10107, 11600, 11602, 13388, 13435, 13436,
]);
/** A server that can't be found isn't among them: finding one already takes as long as an operation may. */
const PASSING_NAMES = new Set([
  'MongoNetworkError',
  'MongoNetworkTimeoutError',
  'MongoPoolClearedError',
  'PoolClearedOnNetworkError',
  'MongoOperationTimeoutError',
  'MongoWriteConcernError',
]);
const DUPLICATE_KEY = 11_000;

/** What is looked at in an error of the driver. Told by these, not by classes: the driver is loaded only where it is used. */
interface DriverError extends Error {
  readonly code?: unknown;
  readonly codeName?: unknown;
  readonly errorLabels?: unknown;
  readonly errorResponse?: unknown;
}

function isDriverError(error: unknown): error is DriverError {
  return error instanceof Error && /^(Mongo|PoolCleared|BSON)/.test(error.name);
}

/** A bulk wraps what kept it from being sent or answered. */
function innermost(error: DriverError): DriverError {
  return isDriverError(error.errorResponse) ? error.errorResponse : error;
}

export const isDuplicateKey = (error: unknown): boolean => isDriverError(error) && error.code === DUPLICATE_KEY;

/** Whether the same may succeed a moment later. Whether it was done already is not known. */
export function isPassing(error: unknown): boolean {
  if (!isDriverError(error)) return false;
  const inner = innermost(error);
  const labels = Array.isArray(inner.errorLabels) ? inner.errorLabels : [];
  return PASSING_NAMES.has(inner.name) || PASSING.has(Number(inner.code)) || labels.includes('RetryableWriteError') || isUnconfirmed(error);
}

/** A bulk that was done, as far as can be told, but not by a majority in time. */
function isUnconfirmed(error: DriverError): boolean {
  const { result } = error as DriverError & Partial<Pick<MongoBulkWriteError, 'result'>>;
  return error.name === 'MongoBulkWriteError' && result?.getWriteConcernError() !== undefined;
}

/**
 * The port's error for one of the driver; others as they are. The driver's message may quote values of documents, so ours names its
 * code only.
 */
export function portError(error: unknown): unknown {
  if (!isDriverError(error)) return error;
  const { code, codeName, name } = innermost(error);
  const reason = typeof codeName === 'string' ? codeName : typeof code === 'number' ? String(code) : name;
  return new DocumentStoreUnavailableError(`the read models' MongoDB can't be used (${reason})`, { cause: error });
}

/** What a server says of an unordered bulk in which some writes met a duplicate key. */
export interface BulkFailure {
  /** Places in the bulk. */
  readonly failed: readonly number[];
  /** Ids that upserts inserted. */
  readonly made: readonly string[];
  readonly matched: number;
}

/** Null unless duplicate keys are all that went wrong. */
export function bulkFailure(error: unknown): BulkFailure | null {
  if (!isDriverError(error) || error.name !== 'MongoBulkWriteError') return null;
  const { writeErrors, result } = error as DriverError & Partial<Pick<MongoBulkWriteError, 'writeErrors' | 'result'>>;
  const errors = writeErrors === undefined ? [] : [writeErrors].flat();
  if (result === undefined || errors.length === 0 || result.getWriteConcernError() !== undefined) return null;
  if (errors.some(({ code }) => code !== DUPLICATE_KEY)) return null;
  return { failed: errors.map(({ index }) => index), made: Object.values(result.upsertedIds).map(String), matched: result.matchedCount };
}
