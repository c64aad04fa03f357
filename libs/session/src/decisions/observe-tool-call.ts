import { keyed } from '@counterfoil/canonical';
import type { SessionEvent } from '@counterfoil/contracts';
import type { ObserveToolCall } from '../commands.js';
import type { DecisionContext } from '../context.js';
import type { SessionState } from '../state.js';
import { outdatesOf } from './outdates.js';
import { identifiersOf, outcomeOf, reportFingerprint, reportInputs } from './reported.js';
import { askFor, expectedOf, fingerprintOf, isRepeated, receiptIdOf, requestedData } from './requested.js';
import { event, requireSession } from './support.js';

/**
 * Records a call that ran without the ledger: in one append, and never as approved or dispatched (promise 31). It has run, so nothing of
 * it is rejected: a task that is not eligible leaves it unassociated, and nothing was expected beforehand, so nothing is verified. The
 * same again adds nothing.
 *
 * @throws DomainError `not_found`, `call_conflict`, `session_closed`, `session_full`, `identifier_is_secret`, `body_anomaly`
 */
export function observeToolCall(state: SessionState, command: ObserveToolCall, context: DecisionContext): SessionEvent[] {
  const session = requireSession(state);
  const both = [fingerprintOf(command, context, null), reportFingerprint(context.key, command)];
  const fingerprint = keyed(context.key, 'observed', both.join(' '));
  if (isRepeated(state, receiptIdOf(session, command), fingerprint)) return [];
  const asked = askFor(state, session, command, context, reportInputs(context.key, command), identifiersOf(command));
  const requested = requestedData(session, command, context, asked, {
    approval: { required: false, reasons: [] },
    requestFingerprint: fingerprint,
    expectation: { kind: 'unavailable' },
  });
  const { output, message, observation } = asked.payloads;
  const bound = {
    planId: asked.planId,
    taskId: asked.planId === null ? null : command.taskId,
    sideEffects: requested.tool.sideEffects,
    // What it ran is known all the same: one of its task's own checks outdates nothing.
    expectation: expectedOf(command, context, asked.tool),
  };
  return [
    event('ToolCallRequested', requested),
    event('ToolCallObserved', {
      receiptId: asked.receiptId,
      status: outcomeOf(command, message, requested.successExitCodes).status,
      outcome: outcomeOf(command, message, requested.successExitCodes),
      recorded: { authorized: null, failure: null },
      result: output,
      verification: { state: 'unavailable', method: null, expected: null, before: null, after: observation, change: null },
      times: { startedAt: command.startedAt, completedAt: command.completedAt },
      planId: bound.planId,
      taskId: bound.taskId,
      outdates: outdatesOf(state, bound),
    }),
  ];
}
