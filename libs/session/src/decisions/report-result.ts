import { fileDigest } from '@counterfoil/canonical';
import { DomainError, type Payload, type SessionEvent, type Verification } from '@counterfoil/contracts';
import type { Call } from '../call.js';
import type { FreeInput, ReportResult } from '../commands.js';
import type { DecisionContext } from '../context.js';
import type { EndedCall } from '../ended-calls.js';
import type { SessionState } from '../state.js';
import { verify } from '../verification.js';
import { expectedInput, identifiersOf, outcomeOf, reportFingerprint, reportInputs } from './reported.js';
import { event, redact, refuseSecretIdentifiers, requireCall, requireSession, sameAttempt } from './support.js';

/**
 * Records what a runner says happened. Success comes from the typed status and the tool's declared exit codes (promise 18); whether the
 * effect is there is judged by what was expected at the request (promise 19). After the call has ended as unknown, or was cancelled
 * before its dispatch, the result is kept beside it as a late one (promise 20). The same report again adds nothing.
 *
 * @throws DomainError `not_found`, `call_not_dispatched`, `attempt_mismatch`, `result_conflict`, `identifier_is_secret`
 */
export function reportResult(state: SessionState, command: ReportResult, context: DecisionContext): SessionEvent[] {
  requireSession(state);
  const found = requireCall(state, command.receiptId);
  const fingerprint = reportFingerprint(context.key, command);
  if ('ended' in found) return afterEnd(found.ended, state, command, context, fingerprint);
  const call = found.open;
  if (call.status !== 'dispatched') throw new DomainError('call_not_dispatched', `The call is ${call.status}.`, { status: call.status });
  if (!sameAttempt(call.attempt, command.attempt)) throw new DomainError('attempt_mismatch', 'Another attempt runs this call.');
  const expected = expectedInput(call);
  const { payloads, ...reported } = report(state, command, context, fingerprint, call, { expected, before: beforeInput(call) });
  const verification = verificationOf(call, command, context, payloads);
  return [event('ToolExecuted', { ...reported, attempt: command.attempt, verification })];
}

function afterEnd(
  ended: EndedCall,
  state: SessionState,
  command: ReportResult,
  context: DecisionContext,
  fingerprint: string,
): SessionEvent[] {
  const wasDispatched = ended.revisions.dispatched !== null;
  // One that was cancelled before its dispatch may have run all the same; one that was only observed was never the ledger's to run.
  if (!wasDispatched && (ended.status !== 'cancelled' || ended.isObserved)) {
    throw new DomainError('call_not_dispatched', `The call ended as ${ended.status} and was never dispatched.`, { status: ended.status });
  }
  if (wasDispatched && !ended.matchesAttempt(command.attempt)) throw new DomainError('attempt_mismatch', 'Another attempt ran this call.');
  if (ended.hasResult) {
    if (ended.matchesResult(fingerprint)) return [];
    throw new DomainError('result_conflict', 'Another result was reported for this call.');
  }
  const { payloads: _payloads, ...reported } = report(state, command, context, fingerprint, null, {});
  return [event('LateResultRecorded', { ...reported, attempt: command.attempt })];
}

type More = Readonly<Partial<Record<'expected' | 'before', FreeInput | null>>>;

/** @param call null for a late result: it is kept as it was said, and judged by nothing */
function report(state: SessionState, command: ReportResult, context: DecisionContext, fingerprint: string, call: Call | null, more: More) {
  const inputs: Record<string, FreeInput | null> = { ...reportInputs(context.key, command), ...more };
  const { payloads, secrets } = redact(state, context, inputs);
  refuseSecretIdentifiers(context, [...state.known, ...secrets], identifiersOf(command));
  return {
    receiptId: command.receiptId,
    outcome: outcomeOf(command, payloads['message'] ?? null, call?.successExitCodes ?? null),
    result: payloads['output'] ?? null,
    observation: payloads['observation'] ?? null,
    times: { startedAt: command.startedAt, completedAt: command.completedAt },
    resultFingerprint: fingerprint,
    secrets,
    payloads,
  };
}

function verificationOf(
  call: Call,
  { outcome, observation }: ReportResult,
  context: DecisionContext,
  payloads: Readonly<Record<string, Payload | null>>,
): Verification {
  const after =
    observation === null
      ? null
      : {
          exists: observation.exists,
          bytes: observation.bytes,
          digest: observation.sha256 === null ? null : fileDigest(context.key, observation.sha256),
          method: observation.method,
        };
  const { expectation, successExitCodes, before } = call;
  const { exitCode, signal, status } = outcome;
  const judged = verify({ expectation, successExitCodes, before, after, exitCode, signal, status });
  return { ...judged, expected: payloads['expected'] ?? null, before: payloads['before'] ?? null, after: payloads['observation'] ?? null };
}

const beforeInput = ({ before }: Call): FreeInput | null => (before === null ? null : { kind: 'json', text: JSON.stringify(before) });
