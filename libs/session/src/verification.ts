import type { Expectation, OutcomeStatus, Verification } from '@counterfoil/contracts';

/** What was observed of a file, its digest keyed. */
export interface ObservedFile {
  readonly exists: boolean;
  readonly digest: string | null;
  readonly bytes: number | null;
}

/** What a run is measured by, and what was found before and after it. */
export interface Measured {
  readonly expectation: Expectation;
  readonly successExitCodes: readonly number[] | null;
  readonly before: ObservedFile | null;
  readonly after: (ObservedFile & { readonly method: string }) | null;
  readonly exitCode: number | null;
  readonly signal: string | null;
  /** Unknown: an old runtime didn't say. */
  readonly status: OutcomeStatus | 'unknown';
}

export type Judged = Pick<Verification, 'state' | 'method' | 'change'>;

/** The one way of observing a file that proves its content. */
export const CONTENT_DIGEST = 'content_digest';
export const EXIT_STATUS = 'exit_status';
/** The exit codes that count as success where the tool's spec says nothing. */
export const USUAL_SUCCESS: readonly number[] = [0];

const UNAVAILABLE: Judged = { state: 'unavailable', method: null, change: null };

/**
 * Whether the effect is there (promise 19). Apart from the outcome: a tool may claim success over other content, and fail after it has
 * written. What can't be known stays `unavailable`; existence alone proves nothing.
 */
export function verify(measured: Measured): Judged {
  switch (measured.expectation.kind) {
    case 'file_write':
      return verifyFile(measured, measured.expectation.contentDigest, measured.expectation.bytes);
    case 'command':
      return verifyCommand(measured);
    case 'not_applicable':
      return { state: 'not_applicable', method: null, change: null };
    case 'unavailable':
      return UNAVAILABLE;
  }
}

function verifyFile({ before, after }: Measured, expected: string, bytes: number): Judged {
  if (after?.method !== CONTENT_DIGEST) return UNAVAILABLE;
  if (!after.exists) return { state: 'failed', method: CONTENT_DIGEST, change: null };
  if (after.digest === null) return UNAVAILABLE;
  if (after.digest !== expected) return { state: 'failed', method: CONTENT_DIGEST, change: null };
  // The same content has the same length: a report that contradicts itself proves nothing.
  if (after.bytes !== null && after.bytes !== bytes) return UNAVAILABLE;
  return { state: 'verified', method: CONTENT_DIGEST, change: changeSince(before, after.digest) };
}

function changeSince(before: ObservedFile | null, digest: string): 'changed' | 'unchanged' | 'unknown' {
  if (before === null) return 'unknown';
  if (!before.exists) return 'changed';
  if (before.digest === null) return 'unknown';
  return before.digest === digest ? 'unchanged' : 'changed';
}

/** By the structured exit status alone; a signal, a timeout or a missing code leave nothing to judge by. */
function verifyCommand({ exitCode, signal, status, successExitCodes }: Measured): Judged {
  const ranToItsEnd = status === 'succeeded' || status === 'failed';
  if (exitCode === null || signal !== null || !ranToItsEnd) return UNAVAILABLE;
  const isSuccess = (successExitCodes ?? USUAL_SUCCESS).includes(exitCode);
  return { state: isSuccess ? 'verified' : 'failed', method: EXIT_STATUS, change: null };
}

/**
 * The status that counts: the tool's declared success exit codes win over what the runner says, where there is an exit code to judge
 * by (promise 18). Stopped runs stay stopped, whatever their code.
 */
export function statusOf(reported: OutcomeStatus, exitCode: number | null, successExitCodes: readonly number[] | null): OutcomeStatus {
  if (successExitCodes === null || exitCode === null || (reported !== 'succeeded' && reported !== 'failed')) return reported;
  return successExitCodes.includes(exitCode) ? 'succeeded' : 'failed';
}
