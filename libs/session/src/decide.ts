import type { SessionEvent } from '@counterfoil/contracts';
import type { SessionCommand } from './commands.js';
import type { DecisionContext } from './context.js';
import { activatePlan } from './decisions/activate-plan.js';
import { addTask } from './decisions/add-task.js';
import { cancelToolCall } from './decisions/cancel-tool-call.js';
import { changeTask } from './decisions/change-task.js';
import { closePlan } from './decisions/close-plan.js';
import { closeSession } from './decisions/close-session.js';
import { completeTask } from './decisions/complete-task.js';
import { denyApproval, grantApproval } from './decisions/decide-approval.js';
import { dispatchToolCall } from './decisions/dispatch-tool-call.js';
import { extendLease } from './decisions/extend-lease.js';
import { observeToolCall } from './decisions/observe-tool-call.js';
import { openSession } from './decisions/open-session.js';
import { recordEvidence } from './decisions/record-evidence.js';
import { reportLegacyExecution } from './decisions/report-legacy-execution.js';
import { reportResult } from './decisions/report-result.js';
import { requestToolCall } from './decisions/request-tool-call.js';
import { sweep } from './decisions/sweep.js';
import type { SessionState } from './state.js';

/**
 * Decides what a command leads to: events to append, or none when the same was said before. Pure: reads the state and changes nothing.
 *
 * @throws DomainError with a stable code when the command is refused; then nothing is recorded (promise 26)
 */
export function decide(state: SessionState, command: SessionCommand, context: DecisionContext): SessionEvent[] {
  switch (command.type) {
    case 'OpenSession':
      return openSession(state, command, context);
    case 'CloseSession':
      return closeSession(state, command, context);
    case 'RequestToolCall':
      return requestToolCall(state, command, context);
    case 'DispatchToolCall':
      return dispatchToolCall(state, command, context);
    case 'ReportResult':
      return reportResult(state, command, context);
    case 'CancelToolCall':
      return cancelToolCall(state, command, context);
    case 'ExtendLease':
      return extendLease(state, command, context);
    case 'GrantApproval':
      return grantApproval(state, command, context);
    case 'DenyApproval':
      return denyApproval(state, command, context);
    case 'ObserveToolCall':
      return observeToolCall(state, command, context);
    case 'ReportLegacyExecution':
      return reportLegacyExecution(state, command, context);
    case 'ActivatePlan':
      return activatePlan(state, command, context);
    case 'ClosePlan':
      return closePlan(state, command, context);
    case 'AddTask':
      return addTask(state, command, context);
    case 'ChangeTask':
      return changeTask(state, command, context);
    case 'CompleteTask':
      return completeTask(state, command, context);
    case 'RecordEvidence':
      return recordEvidence(state, command, context);
    case 'Sweep':
      return sweep(state, context);
  }
}
