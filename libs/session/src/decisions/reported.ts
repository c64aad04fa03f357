import { canonicalize, keyed, type FingerprintKey } from '@counterfoil/canonical';
import type { Outcome, Payload } from '@counterfoil/contracts';
import type { Call } from '../call.js';
import type { FreeInput, ReportedRun } from '../commands.js';
import { statusOf, USUAL_SUCCESS } from '../verification.js';
import { fileStateInput } from './support.js';

/** Everything free in a report, for the redaction door. */
export function reportInputs(
  key: FingerprintKey,
  { output, outcome, observation }: ReportedRun,
): Record<'output' | 'message' | 'observation', FreeInput | null> {
  return {
    output,
    message: outcome.error?.message ?? null,
    observation:
      observation === null ? null : fileStateInput(key, observation, { method: observation.method, observer: observation.observer }),
  };
}

/** What was expected, as the receipt shows it: our own words and keyed digests. */
export function expectedInput({ expectation, successExitCodes }: Pick<Call, 'expectation' | 'successExitCodes'>): FreeInput | null {
  if (expectation.kind === 'file_write') {
    return { kind: 'json', text: JSON.stringify({ exists: true, digest: expectation.contentDigest, bytes: expectation.bytes }) };
  }
  return expectation.kind === 'command' ? { kind: 'json', text: JSON.stringify({ exitCodes: successExitCodes ?? USUAL_SUCCESS }) } : null;
}

/** The short words of a report, which stand as they are and so may be no secrets (promise 1). */
export const identifiersOf = ({ outcome, observation }: ReportedRun): Record<string, string | null> => ({
  'outcome.signal': outcome.signal,
  'outcome.error.code': outcome.error?.code ?? null,
  'observation.method': observation?.method ?? null,
  'observation.observer': observation?.observer ?? null,
});

/**
 * The outcome as it counts: the tool's declared success exit codes win, and where they say otherwise than the runner the outcome says
 * so (promise 18).
 */
export function outcomeOf({ outcome }: ReportedRun, message: Payload | null, successExitCodes: readonly number[] | null): Outcome {
  const status = statusOf(outcome.status, outcome.exitCode, successExitCodes);
  return {
    status,
    exitCode: outcome.exitCode,
    signal: outcome.signal,
    isError: outcome.isError,
    error: outcome.error === null ? null : { code: outcome.error.code, message },
    ...(status === outcome.status ? {} : { reportedStatus: outcome.status }),
  };
}

/** Texts go in as their JSON spelling, in which lone surrogates are escaped and so stay distinct. */
export function reportFingerprint(key: FingerprintKey, command: ReportedRun & { readonly attempt?: string }): string {
  const text = (input: FreeInput | null | undefined): string | null =>
    input == null ? null : `${input.kind}:${JSON.stringify(input.text)}`;
  const { outcome, observation } = command;
  const facts = [
    command.attempt?.toLowerCase() ?? null,
    outcome.status,
    outcome.exitCode,
    outcome.signal,
    outcome.isError,
    outcome.error === null ? null : [outcome.error.code, text(outcome.error.message)],
    text(command.output),
    observation === null ? null : [observation.method, observation.observer, observation.exists, observation.sha256, observation.bytes],
    command.startedAt,
    command.completedAt,
  ];
  return keyed(key, 'result', canonicalize(facts));
}
