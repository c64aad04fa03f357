import { DomainError, type SessionEvent } from '@counterfoil/contracts';
import type { OpenSession } from '../commands.js';
import type { DecisionContext } from '../context.js';
import type { SessionState } from '../state.js';
import { event, refuseSecretIdentifiers } from './support.js';

/**
 * Opens a session; the same again adds nothing.
 *
 * @throws DomainError `session_id_unavailable` (another user's), `session_conflict` (same user, other content), `identifier_is_secret`
 */
export function openSession(state: SessionState, command: OpenSession, context: DecisionContext): SessionEvent[] {
  const { workspaceId, sessionId, userId, agent, parent } = command;
  const { identity } = state;
  if (identity === null) {
    refuseSecretIdentifiers(context, state.known, { sessionId, userId, agent, 'parent.sessionId': parent?.sessionId ?? null });
    // A copy: nothing that the caller holds can change what is recorded (promise 6).
    const parentCall = parent === null ? null : { sessionId: parent.sessionId, receiptId: parent.receiptId };
    const rootSessionId = parent === null ? sessionId : command.parentRootSessionId;
    const opened = { workspaceId, sessionId, userId, agent, parent: parentCall, rootSessionId, fingerprintKeyId: context.key.id };
    return [event('SessionOpened', opened)];
  }
  if (identity.userId !== userId) throw new DomainError('session_id_unavailable', 'Another session has this id.');
  const sameParent = identity.parent?.sessionId === parent?.sessionId && identity.parent?.receiptId === parent?.receiptId;
  if (identity.agent !== agent || !sameParent) {
    throw new DomainError('session_conflict', 'The session was opened with another agent or parent.');
  }
  return [];
}
