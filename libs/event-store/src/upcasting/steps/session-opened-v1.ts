import type { VersionStep } from '../upcast-step.js';

/** SessionOpened before the root of a lineage was recorded. */
export interface SessionOpenedV1 {
  readonly workspaceId: string;
  readonly sessionId: string;
  readonly userId: string;
  readonly agent: string | null;
  readonly parent: { readonly sessionId: string; readonly receiptId: string } | null;
  readonly fingerprintKeyId: string;
}

export interface SessionOpenedV2 extends SessionOpenedV1 {
  readonly rootSessionId: string | null;
}

/** A session without a parent is its own root; that of a subagent's session was not recorded, and is not inferred. */
export const SESSION_OPENED_V1: VersionStep = {
  type: 'SessionOpened',
  from: 1,
  to: 2,
  up: (event) => {
    const before = event.data as SessionOpenedV1;
    const data: SessionOpenedV2 = { ...before, rootSessionId: before.parent === null ? before.sessionId : null };
    return [{ type: 'SessionOpened', version: 2, data }];
  },
};
