import { OutcomeUnknownError, StoreUnavailableError } from '../errors.js';

/**
 * What an error of the client means:
 * - `conflict`, `denied`, `too_large`, `deleted`, `not_leader`: the server decided, and nothing was stored
 * - `not_found`: there is no such stream
 * - `invalid`: the server could not read from that position
 * - `passing`: anything else. Of an append it says nothing (stack.md, @eventstore/db-client row 1): cancelled, a broken connection, a
 *   timeout of the server's or of ours
 */
export type Failure = 'conflict' | 'denied' | 'too_large' | 'deleted' | 'not_leader' | 'not_found' | 'invalid' | 'passing';

const BY_TYPE: Readonly<Record<string, Failure>> = {
  'wrong-expected-version': 'conflict',
  'access-denied': 'denied',
  'maximum-append-size-exceeded': 'too_large',
  'stream-deleted': 'deleted',
  'not-leader': 'not_leader',
  'stream-not-found': 'not_found',
};

const UNKNOWN = 2;
const INVALID_ARGUMENT = 3;
const PERMISSION_DENIED = 7;

/** By its shape, not by its class: a raw gRPC error has no type (stack.md, @eventstore/db-client row 3). */
export function failureOf(error: unknown): Failure {
  const type = memberOf(error, 'type');
  const known = typeof type === 'string' && Object.hasOwn(BY_TYPE, type) ? BY_TYPE[type] : undefined;
  if (known !== undefined) return known;
  const code = memberOf(error, 'code');
  if (code === PERMISSION_DENIED) return 'denied';
  return isInvalid(code, memberOf(error, 'message')) ? 'invalid' : 'passing';
}

/**
 * A position where no record begins: 24.10 has a status for it. 23.10 answers with one that also stands for what passes (no leader is
 * elected yet, for one), so that only its words tell them apart.
 */
function isInvalid(code: unknown, message: unknown): boolean {
  return code === INVALID_ARGUMENT || (code === UNKNOWN && typeof message === 'string' && message.includes('ReadAllResult'));
}

/** Whether the server refused the user, also when that was put into words of the port already. */
export function isDenied(error: unknown): boolean {
  return failureOf(error) === 'denied' || (error instanceof StoreUnavailableError && failureOf(error.cause) === 'denied');
}

/** The call got no answer in the time that we gave it. */
export class NoAnswerError extends Error {
  readonly code = 'no_answer';
  constructor(ms: number) {
    super(`no answer within ${String(ms)} ms`);
    this.name = 'NoAnswerError';
  }
}

/** A failed read in the words of the port. Codes only: a message of the server may name anything. */
export function asReadFailure(error: unknown): unknown {
  if (isOurs(error)) return error;
  const detail = failureOf(error) === 'denied' ? 'the user of the event store may not read there' : 'the event store can not be read';
  return new StoreUnavailableError(`${detail} (${labelOf(error)})`, { cause: error });
}

export function outcomeUnknown(error: unknown): OutcomeUnknownError {
  return new OutcomeUnknownError(`the event store did not say what became of the append (${labelOf(error)})`, {
    cause: error,
    wasResent: true,
  });
}

/** The type, code or name of an error, for a log. */
export function labelOf(error: unknown): string {
  const found = [memberOf(error, 'type'), memberOf(error, 'code'), memberOf(error, 'name')].find(
    (value) => typeof value === 'string' || typeof value === 'number',
  );
  return String(found ?? typeof error).slice(0, 64);
}

/** The revision in a wrong-version error, as the client gives it. */
export const actualVersionOf = (error: unknown): unknown => memberOf(error, 'actualVersion');

const OUR_CODES: readonly unknown[] = ['store_unavailable', 'upcast_failed', 'stream_integrity', 'checkpoint_ahead_of_store'];

export const isOurs = (error: unknown): boolean => error instanceof Error && OUR_CODES.includes(memberOf(error, 'code'));

function memberOf(error: unknown, name: string): unknown {
  return typeof error === 'object' && error !== null ? (error as Readonly<Record<string, unknown>>)[name] : undefined;
}
