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
