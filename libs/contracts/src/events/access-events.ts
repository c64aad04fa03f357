import { z } from 'zod';
import { KeyId, Principal, Role, UserId, WorkspaceId } from '../ids.js';
import { Timestamp } from '../text.js';

/** The secret itself is shown once and stored only as SHA-256 of the whole `cfk_…` text. */
export const PrincipalKeyCreated = z.object({
  keyId: KeyId,
  secretHash: z.string().regex(/^[0-9a-f]{64}$/),
  principal: Principal,
  workspaceId: WorkspaceId,
  /** The user for whom an agent's key acts; null for keys without the role `agent`. */
  userId: UserId.nullable(),
  roles: z.array(Role).min(1),
  expiresAt: Timestamp.nullable(),
});

export const PrincipalKeyRevoked = z.object({ keyId: KeyId });

/** An epoch of a ledger: the first half of every position that it gave out. */
export const Epoch = z.string().regex(/^[a-z0-9]{1,32}$/);

/**
 * The end of a ledger: the last event of `access`, after which its store takes nothing any more. It is no part of the copy that goes on
 * in its place.
 */
export const LedgerSealed = z.object({
  reason: z.literal('moved'),
  /** The ledger that goes on. */
  targetEpoch: Epoch,
});
