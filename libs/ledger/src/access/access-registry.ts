import { timingSafeEqual } from 'node:crypto';
import { apiKeySecretHash, newApiKey, parseApiKey, uuidV7 } from '@counterfoil/canonical';
import {
  CURRENT_VERSIONS,
  DomainError,
  type AccessScope,
  type Actor,
  type CreateKeyBody,
  type EventData,
  type KeyView,
  type NewEvent,
} from '@counterfoil/contracts';
import {
  ACCESS_STREAM,
  OutcomeUnknownError,
  StoreUnavailableError,
  WrongExpectedRevisionError,
  type EventStore,
} from '@counterfoil/event-store';
import { secretRuleOf } from '@counterfoil/redaction';
import type { LedgerObserver } from '../observers.js';
import { asDomainError } from '../store-answers.js';
import { AccessState, keyView, type KeyRecord } from './access-state.js';

/** Another process's keys are seen after at most so long; this process's own at once. */
const FRESH_FOR_MS = 1000;
/** An unknown key is looked for at most so often. */
const UNKNOWN_AGAIN_MS = 100;
const TRIES = 8;

export interface CreatedKey {
  readonly key: KeyView;
  /** Shown once; only its hash is kept. */
  readonly secret: string;
  readonly position: bigint;
}

/** Keys and workspaces: who may act as what. Folded from the `access` stream, and brought up to date as it is asked. */
export class AccessRegistry {
  private readonly state = new AccessState();
  private checkedAt = Number.NEGATIVE_INFINITY;
  private reading: Promise<void> | null = null;

  constructor(
    private readonly store: EventStore,
    private readonly now: () => number = Date.now,
    private readonly observer?: Pick<LedgerObserver, 'appended'>,
  ) {}

  /**
   * Who a key is. Its workspace, user and roles come from here alone, never from what a request says.
   *
   * @param secret the whole `cfk_…` text
   * @returns null for a key that is malformed, unknown, wrong, revoked or expired: the caller can't tell which
   */
  async authenticate(secret: string): Promise<AccessScope | null> {
    const parsed = parseApiKey(secret);
    if (parsed === null) return null;
    // An unknown key may be another process's newest; but nobody makes us read the store for each guess.
    const isUnknown = !this.state.keys.has(parsed.keyId);
    await this.refresh(isUnknown && this.now() - this.checkedAt >= UNKNOWN_AGAIN_MS);
    const key = this.state.keys.get(parsed.keyId);
    const given = Buffer.from(apiKeySecretHash(secret), 'hex');
    // Compared even when there is no such key, so that time doesn't tell.
    const same = timingSafeEqual(given, Buffer.from(key?.secretHash ?? '0'.repeat(64), 'hex'));
    if (key === undefined || !same || !this.isLive(key)) return null;
    return { keyId: key.keyId, principal: key.principal, workspaceId: key.workspaceId, userId: key.userId, roles: key.roles };
  }

  /** Whether a key that was authenticated a while ago still is one. */
  async isStillLive(keyId: string): Promise<boolean> {
    await this.refresh(false);
    const key = this.state.keys.get(keyId);
    return key !== undefined && this.isLive(key);
  }

  /**
   * Makes a key. An admin makes keys of its own workspace; an operator also the first keys of others, and so those workspaces.
   *
   * @param firstSecret the secret of the ledger's very first key, drawn before: made only where there is no key at all, so that of several
   *   processes one makes it, wherever they keep their secrets
   * @throws DomainError `forbidden`, `key_exists`, `invalid_request`, `identifier_is_secret`
   */
  async create(by: AccessScope, body: CreateKeyBody, firstSecret?: string): Promise<CreatedKey> {
    const workspaceId = body.workspace ?? by.workspaceId;
    this.checkBody(body);
    return this.change(async () => {
      this.checkMaker(by, workspaceId, body);
      const secret =
        firstSecret === undefined ? newApiKey(body.keyId) : { keyId: parseApiKey(firstSecret)?.keyId ?? '', secret: firstSecret };
      if (this.state.keys.has(secret.keyId)) throw new DomainError('key_exists', 'There is a key of this id.');
      if (firstSecret !== undefined && this.state.keys.size > 0) throw new DomainError('key_exists', 'The ledger has its first key.');
      const data: EventData<'PrincipalKeyCreated'> = {
        keyId: secret.keyId,
        secretHash: apiKeySecretHash(secret.secret),
        principal: body.principal,
        workspaceId,
        userId: body.userId ?? null,
        roles: [...new Set(body.roles)],
        expiresAt: body.expiresAt ?? null,
      };
      const position = await this.append('PrincipalKeyCreated', data, by);
      return { key: keyView({ ...data, revoked: false }), secret: secret.secret, position };
    });
  }

  /** Revokes a key of the caller's workspace; again is the same. @throws DomainError `not_found` */
  async revoke(by: AccessScope, keyId: string): Promise<{ readonly key: KeyView; readonly position: bigint | null }> {
    return this.change(async () => {
      const key = this.state.keys.get(keyId);
      if (key === undefined || !mayManage(by, key)) throw new DomainError('not_found', 'There is no such key.');
      if (key.revoked) return { key: keyView(key), position: null };
      const position = await this.append('PrincipalKeyRevoked', { keyId }, by);
      return { key: keyView({ ...key, revoked: true }), position };
    });
  }

  /** The keys that the caller may manage, oldest first. */
  async list(by: AccessScope): Promise<readonly KeyView[]> {
    await this.refresh(true);
    return [...this.state.keys.values()].filter((key) => mayManage(by, key)).map(keyView);
  }

  /** True when no key was ever made: the ledger's first start. */
  async isEmpty(): Promise<boolean> {
    await this.refresh(true);
    return this.state.keys.size === 0;
  }

  private isLive(key: KeyRecord): boolean {
    return !key.revoked && (key.expiresAt === null || this.now() < Date.parse(key.expiresAt));
  }

  private checkBody(body: CreateKeyBody): void {
    for (const [field, value] of [
      ['keyId', body.keyId],
      ['principal', body.principal],
      ['userId', body.userId],
    ] as const) {
      if (value !== undefined && secretRuleOf(value) !== null)
        throw new DomainError('identifier_is_secret', `\`${field}\` looks like a secret.`, { field });
    }
    const isAgent = body.roles.includes('agent');
    if (isAgent === (body.userId === undefined)) {
      throw new DomainError(
        'invalid_request',
        isAgent ? 'A key with the role agent needs a userId.' : 'Only a key with the role agent has a userId.',
      );
    }
  }

  private checkMaker(by: AccessScope, workspaceId: string, body: CreateKeyBody): void {
    const isOperator = by.roles.includes('operator');
    const isAdmin = by.roles.includes('admin') && by.workspaceId === workspaceId;
    if (!isOperator && !isAdmin) throw new DomainError('forbidden', 'Only an operator makes keys of another workspace.');
    // An operator who could make itself keys in a lived-in workspace could read it (design §6: it reads nothing in them).
    if (!isAdmin && this.state.workspaces.has(workspaceId)) {
      throw new DomainError('forbidden', 'The workspace has keys already: its own admin makes further ones.');
    }
    if (body.roles.includes('operator') && !isOperator) throw new DomainError('forbidden', 'Only an operator makes operators.');
  }

  private async append<T extends 'PrincipalKeyCreated' | 'PrincipalKeyRevoked'>(
    type: T,
    data: EventData<T>,
    by: AccessScope,
  ): Promise<bigint> {
    const actor: Actor = { principal: by.principal, keyId: by.keyId };
    const metadata = {
      recordedAt: new Date(this.now()).toISOString(),
      occurredAt: null,
      actor,
      correlationId: null,
      causationId: null,
      traceparent: null,
    };
    const event: NewEvent = { id: uuidV7(this.now()), type, version: CURRENT_VERSIONS[type], data, metadata };
    const expected = this.state.revision < 0n ? 'no_stream' : this.state.revision;
    const result = await this.store.append({ stream: ACCESS_STREAM, expected, events: [event] });
    for (const recorded of result.events) this.state.fold(recorded);
    this.observer?.appended([type]);
    return result.position;
  }

  /** Decides on the newest state, and again when another process was faster. */
  private async change<T>(decideAndAppend: () => Promise<T>): Promise<T> {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      await this.refresh(true);
      try {
        return await decideAndAppend();
      } catch (error) {
        if (error instanceof OutcomeUnknownError)
          throw new DomainError('outcome_unknown', 'The store did not say whether it recorded this.');
        if (error instanceof StoreUnavailableError) throw new DomainError('store_unavailable', 'The store cannot be reached.');
        if (!(error instanceof WrongExpectedRevisionError)) throw asDomainError(error);
      }
    }
    throw new DomainError('contention', 'Other writers were faster each time; nothing was recorded.');
  }

  private async refresh(now: boolean): Promise<void> {
    if (!now && this.now() - this.checkedAt < FRESH_FOR_MS) return;
    // A read under way may have begun before what the caller wants to see: it is awaited, and then read again.
    while (this.reading !== null) await this.reading;
    this.reading = this.readOn().finally(() => {
      this.reading = null;
    });
    await this.reading;
  }

  private async readOn(): Promise<void> {
    const startedAt = this.now();
    for await (const event of this.store.readStream(ACCESS_STREAM, { from: this.state.revision + 1n })) this.state.fold(event);
    this.checkedAt = startedAt;
  }
}

/** An operator makes workspaces, but reads nothing in them and manages nobody there (design §6). */
function mayManage(by: AccessScope, key: KeyRecord): boolean {
  return by.roles.includes('admin') && key.workspaceId === by.workspaceId;
}
