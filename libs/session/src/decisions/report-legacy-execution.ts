import type { FingerprintKey } from '@counterfoil/canonical';
import { oldRuntimeRan, type EventData, type Outcome, type Payload, type SessionEvent, type Verification } from '@counterfoil/contracts';
import type { AskedCall, ReportLegacyExecution } from '../commands.js';
import type { DecisionContext } from '../context.js';
import { inferredAssociation } from '../legacy/infer.js';
import { legacyCallOf, legacyFingerprint } from '../legacy/identity.js';
import { originalInput } from '../legacy/original.js';
import type { SessionIdentity, SessionState } from '../state.js';
import { assignTool } from '../tool.js';
import { verify } from '../verification.js';
import { outdatesOf } from './outdates.js';
import { expectedInput } from './reported.js';
import { askFor, expectedOf, isRepeated, receiptIdOf, requestedData, type Asked } from './requested.js';
import { event, requireSession } from './support.js';

/**
 * Records what an old runtime says that it ran (promise 31): as an observed call in one append, never approved, never dispatched. Its
 * status follows the old flag and nothing else, words least of all. It is bound to no task: the task that the old rules find stands in
 * its association, marked as inferred, and so it neither starts, nor completes, nor proves anything. Its evidence goes stale as that by
 * any call of no task does. The same again adds nothing.
 *
 * @throws DomainError `not_found`, `call_conflict`, `session_closed`, `session_full`, `identifier_is_secret`
 */
export function reportLegacyExecution(state: SessionState, command: ReportLegacyExecution, context: DecisionContext): SessionEvent[] {
  const session = requireSession(state);
  const fingerprint = legacyFingerprint(context.key, command);
  const call = legacyCallOf(command, fingerprint);
  if (isRepeated(state, receiptIdOf(session, call), fingerprint)) return [];
  const measured = measuredBy(call, context);
  const inputs = { result: command.result, original: originalInput(command), expected: expectedInput(measured) };
  const asked = askFor(state, session, call, context, inputs, identifiersOf(command));
  const requested: EventData<'ToolCallRequested'> = {
    ...requestedData(session, call, context, asked, {
      approval: { required: false, reasons: [] },
      requestFingerprint: fingerprint,
      expectation: measured.expectation,
    }),
    association: inferredAssociation(state, { ...command, key: context.key, args: command.argsText }),
  };
  return [event('ToolCallRequested', requested), event('ToolCallObserved', observedData(state, command, requested, asked, measured))];
}

/** The receipt id that a report has, also before it is recorded. */
export function legacyReceiptIdOf(
  session: Pick<SessionIdentity, 'workspaceId' | 'sessionId'>,
  command: ReportLegacyExecution,
  key: FingerprintKey,
): string {
  return receiptIdOf(session, legacyCallOf(command, legacyFingerprint(key, command)));
}

type Measured = Pick<EventData<'ToolCallRequested'>, 'expectation' | 'successExitCodes'>;

/** What the call is measured by: its tool's spec as it stands now, since nothing was asked beforehand. Not registered: nothing. */
function measuredBy(call: AskedCall, context: DecisionContext): Measured {
  const tool = context.registry.find(call.tool.source, call.tool.name);
  const { successExitCodes } = assignTool(call.tool, tool);
  return { expectation: expectedOf(call, context, tool), successExitCodes: successExitCodes === null ? null : [...successExitCodes] };
}

type Payloads = Asked<'result' | 'original' | 'expected'>;

function observedData(
  state: SessionState,
  command: ReportLegacyExecution,
  requested: EventData<'ToolCallRequested'>,
  { receiptId, payloads }: Payloads,
  measured: Measured,
): EventData<'ToolCallObserved'> {
  const bound = { planId: null, taskId: null };
  const { authorized, failure, startedAt, completedAt } = command;
  const status = statusOf(command);
  return {
    receiptId,
    status,
    outcome: status === 'unknown' ? null : outcomeOf(command, status),
    recorded: { authorized, failure },
    result: payloads.result,
    verification: verificationOf(command, measured, payloads.expected),
    times: { startedAt, completedAt },
    original: payloads.original,
    // What never ran has changed nothing.
    outdates: oldRuntimeRan(command)
      ? outdatesOf(state, { ...bound, sideEffects: requested.tool.sideEffects, expectation: measured.expectation })
      : 'nothing',
    ...bound,
  };
}

function statusOf({ success }: ReportLegacyExecution): 'succeeded' | 'failed' | 'unknown' {
  return success === null ? 'unknown' : success ? 'succeeded' : 'failed';
}

function outcomeOf({ exitCode, signal, failure }: ReportLegacyExecution, status: Outcome['status']): Outcome {
  return { status, exitCode, signal, isError: null, error: failure === null ? null : { code: failure, message: null } };
}

/**
 * By the rules for any tool that is registered; of a call that never ran there is nothing to verify (promise 19). That a file was there
 * afterwards is no observation of its content.
 */
function verificationOf(command: ReportLegacyExecution, measured: Measured, expected: Payload | null): Verification {
  const { exitCode, signal } = command;
  const judged = oldRuntimeRan(command)
    ? verify({ ...measured, before: null, after: null, exitCode, signal, status: statusOf(command) })
    : ({ state: 'not_applicable', method: 'not_dispatched', change: null } as const);
  return { ...judged, expected, before: null, after: null };
}

/** The short words that stand as they are and so may be no secrets (promise 1). */
const identifiersOf = ({ failure, signal }: ReportLegacyExecution): Record<string, string | null> => ({ failure, signal });
