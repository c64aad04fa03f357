import { z } from 'zod';
import { ReceiptId, SessionId, UserId, WorkspaceId } from '../ids.js';
import { KnownSecret, Payload } from '../payload.js';
import { wellFormed } from '../text.js';

export const ParentCall = z.object({ sessionId: SessionId, receiptId: ReceiptId });

export const SessionOpened = z.object({
  workspaceId: WorkspaceId,
  sessionId: SessionId,
  userId: UserId,
  agent: wellFormed(1, 256).nullable(),
  /** The call of another session that started this one (a subagent's session). */
  parent: ParentCall.nullable(),
  /** The session in which the work began; this one if it has no parent. Null where that was not recorded (version 1). */
  rootSessionId: SessionId.nullable(),
  /** Pinned for the session's life, so that operation ids stay comparable (promise 4). */
  fingerprintKeyId: z.string(),
});

export const SessionClosed = z.object({ reason: Payload.nullable(), secrets: z.array(KnownSecret) });
