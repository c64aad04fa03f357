import { z } from 'zod';
import { KeyId, Principal, Role, UserId, WorkspaceId } from './ids.js';
import { Timestamp } from './text.js';

/** What an authenticated request acts as: from its key alone, never from what the request says. */
export interface AccessScope {
  readonly keyId: string;
  readonly principal: string;
  readonly workspaceId: string;
  /** Set for keys with the role `agent`: they reach this user's sessions only (unless another role of theirs reads the workspace). */
  readonly userId: string | null;
  readonly roles: readonly Role[];
}

/** POST /v1/keys. `workspace` other than the caller's needs the role `operator`. */
export const CreateKeyBody = z.strictObject({
  keyId: KeyId.optional(),
  principal: Principal,
  workspace: WorkspaceId.optional(),
  userId: UserId.optional(),
  roles: z.array(Role).min(1).max(6),
  expiresAt: Timestamp.optional(),
});
export type CreateKeyBody = z.infer<typeof CreateKeyBody>;

/** A key as it is listed: everything but its secret. */
export const KeyView = z.object({
  keyId: KeyId,
  principal: Principal,
  workspace: WorkspaceId,
  userId: UserId.nullable(),
  roles: z.array(Role),
  expiresAt: Timestamp.nullable(),
  revoked: z.boolean(),
});
export type KeyView = z.infer<typeof KeyView>;
