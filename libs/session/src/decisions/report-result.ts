import { canonicalize, keyed } from '@counterfoil/canonical';
import { DomainError, type SessionEvent } from '@counterfoil/contracts';
import type { FreeInput, ReportResult } from '../commands.js';
import type { DecisionContext } from '../context.js';
import type { EndedCall } from '../ended-calls.js';
import type { SessionState } from '../state.js';
import { event, fileStateInput, redact, refuseSecretIdentifiers, requireCall, requireSession, sameAttempt } from './support.js';

/**
 * Records what a runner says happened. Success comes from the typed status alone (promise 18). After the call has ended as unknown, or
 * was cancelled before its dispatch, the result is kept beside it as a late one (promise 20). The same report again adds nothing.
 *
 * @throws DomainError `not_found`, `call_not_dispatched`, `attempt_mismatch`, `result_conflict`, `identifier_is_secret`
 */
export function reportResult(state: SessionState, command: ReportResult, context: DecisionContext): SessionEvent[] {
  requireSession(state);
  const found = requireCall(state, command.receiptId);
  const fingerprint = fingerprintOf(command, context);
  if ('ended' in found) return afterEnd(found.ended, state, command, context, fingerprint);
  const call = found.open;
  if (call.status !== 'dispatched') throw new DomainError('call_not_dispatched', `The call is ${call.status}.`, { status: call.status });
  if (!sameAttempt(call.attempt, command.attempt)) throw new DomainError('attempt_mismatch', 'Another attempt runs this call.');
  const { observation, ...reported } = report(state, command, context, fingerprint);
  const verification = { state: 'unavailable', method: null, expected: null, before: null, after: observation, change: null } as const;
  return [event('ToolExecuted', { ...reported, observation, attempt: command.attempt, verification })];
}

function afterEnd(
  ended: EndedCall,
  state: SessionState,
  command: ReportResult,
  context: DecisionContext,
  fingerprint: string,
): SessionEvent[] {
  const wasDispatched = ended.revisions.dispatched !== null;
  if (!wasDispatched && ended.status !== 'cancelled') {
    throw new DomainError('call_not_dispatched', `The call ended as ${ended.status} and was never dispatched.`, { status: ended.status });
  }
  if (wasDispatched && !ended.matchesAttempt(command.attempt)) throw new DomainError('attempt_mismatch', 'Another attempt ran this call.');
  if (ended.hasResult) {
    if (ended.matchesResult(fingerprint)) return [];
    throw new DomainError('result_conflict', 'Another result was reported for this call.');
  }
  return [event('LateResultRecorded', { ...report(state, command, context, fingerprint), attempt: command.attempt })];
}

function report(state: SessionState, command: ReportResult, context: DecisionContext, fingerprint: string) {
  const { outcome, observation } = command;
  const { payloads, secrets } = redact(state, context, {
    output: command.output,
    message: outcome.error?.message ?? null,
    observation:
      observation === null
        ? null
        : fileStateInput(context.key, observation, { method: observation.method, observer: observation.observer }),
  });
  refuseSecretIdentifiers(context, [...state.known, ...secrets], {
    'outcome.signal': outcome.signal,
    'outcome.error.code': outcome.error?.code ?? null,
    'observation.method': observation?.method ?? null,
    'observation.observer': observation?.observer ?? null,
  });
  return {
    receiptId: command.receiptId,
    outcome: {
      status: outcome.status,
      exitCode: outcome.exitCode,
      signal: outcome.signal,
      isError: outcome.isError,
      error: outcome.error === null ? null : { code: outcome.error.code, message: payloads.message },
    },
    result: payloads.output,
    observation: payloads.observation,
    times: { startedAt: command.startedAt, completedAt: command.completedAt },
    resultFingerprint: fingerprint,
    secrets,
  };
}

/** Texts go in as their JSON spelling, in which lone surrogates are escaped and so stay distinct. */
function fingerprintOf(command: ReportResult, context: DecisionContext): string {
  const text = (input: FreeInput | null | undefined): string | null =>
    input == null ? null : `${input.kind}:${JSON.stringify(input.text)}`;
  const { outcome, observation } = command;
  const facts = [
    command.attempt.toLowerCase(),
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
  return keyed(context.key, 'result', canonicalize(facts));
}
