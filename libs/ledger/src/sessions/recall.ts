import { parseApprovalId } from '@counterfoil/canonical';
import type { EventStore } from '@counterfoil/event-store';
import type { SessionCommand, SessionState } from '@counterfoil/session';
import { readCall } from './fold-recorded.js';

/**
 * Brings a call that ended long ago back to where decisions find it: of such a call the state keeps digests only, and these commands are
 * about more. Does nothing for every other command, and for a call that is not there: what that means is the decision's to say.
 */
export async function recall(store: EventStore, stream: string, state: SessionState, command: SessionCommand): Promise<void> {
  const receiptId = neededCall(state, command);
  if (receiptId !== null && state.ended.get(receiptId) !== null) await readCall(store, stream, state, receiptId);
}

/** The call of which a decision needs more than digests, if it has ended. */
function neededCall(state: SessionState, command: SessionCommand): string | null {
  switch (command.type) {
    case 'DispatchToolCall':
      // Arguments are compared together with the tool, which only the call's own events still name.
      return 'arguments' in command.named ? command.receiptId : null;
    case 'GrantApproval':
      // The same grant again: its arguments are compared with those that the call was amended to.
      return command.amended === null ? null : callOfApproval(state, command.approvalId);
    case 'RecordEvidence':
      // Outcome, verification and expectation of the run that is to prove something.
      return command.source.kind === 'receipt' ? command.source.receiptId : null;
    default:
      return null;
  }
}

function callOfApproval(state: SessionState, approvalId: string): string | null {
  const parsed = parseApprovalId(approvalId);
  return parsed === null || parsed.sessionId !== state.identity?.sessionId ? null : state.approvals.at(parsed.n);
}
