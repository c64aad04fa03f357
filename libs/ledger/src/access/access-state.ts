import type { EventData, KeyView, RecordedEvent } from '@counterfoil/contracts';

type Created = EventData<'PrincipalKeyCreated'>;

export interface KeyRecord extends Created {
  readonly revoked: boolean;
}

/** All keys of a ledger, folded from its `access` stream. */
export class AccessState {
  readonly keys = new Map<string, KeyRecord>();
  /** A workspace exists when it has had a key. */
  readonly workspaces = new Set<string>();
  revision = -1n;

  fold(event: RecordedEvent): void {
    if (event.revision <= this.revision) return;
    if (event.type === 'PrincipalKeyCreated') {
      const created = event.data as Created;
      this.keys.set(created.keyId, { ...created, revoked: false });
      this.workspaces.add(created.workspaceId);
    } else if (event.type === 'PrincipalKeyRevoked') {
      const { keyId } = event.data as EventData<'PrincipalKeyRevoked'>;
      const key = this.keys.get(keyId);
      if (key !== undefined) this.keys.set(keyId, { ...key, revoked: true });
    }
    this.revision = event.revision;
  }
}

/** A key as it is shown: never its secret, nor the hash of it. */
export function keyView(key: KeyRecord): KeyView {
  return {
    keyId: key.keyId,
    principal: key.principal,
    workspace: key.workspaceId,
    userId: key.userId,
    roles: [...key.roles],
    expiresAt: key.expiresAt,
    revoked: key.revoked,
  };
}
