import type { Collection, CollectionSpec, ControlDocument, DocumentStore, GuardedWrite, Loaded, Query } from '@counterfoil/read-models';

/** What happens at a chosen call. */
export interface Incident {
  /** The first call is 1. */
  readonly atCall: number;
  /**
   * `die`: this call and all later ones fail, before or after it took effect. `hook`: something else happens, and the call goes on.
   * `freeze`: this call and all that come meanwhile wait for what the hook gives, like those of a process that was halted.
   */
  readonly kind: 'die_before' | 'die_after' | 'hook' | 'freeze';
  readonly hook?: () => void | Promise<void>;
}

/** The death of the process that uses a store. */
export class CrashError extends Error {
  readonly code = 'crashed';
}

/**
 * A document store in which something happens at the n-th call: by it a test stops or kills an engine at every point at which it waits.
 * Its collections count their calls with it.
 */
export class CrashingStore implements DocumentStore {
  calls = 0;
  private isDead = false;
  private frozen: Promise<void> | null = null;

  constructor(
    private readonly inner: DocumentStore,
    private readonly incident: Incident | null = null,
  ) {}

  collection<D>(spec: CollectionSpec): Promise<Collection<D>> {
    return this.during(async () => new CrashingCollection(await this.inner.collection<D>(spec), this));
  }

  drop(collectionName: string): Promise<void> {
    return this.during(() => this.inner.drop(collectionName));
  }

  collections(prefix: string): Promise<readonly string[]> {
    return this.during(() => this.inner.collections(prefix));
  }

  control(key: string): Promise<ControlDocument | null> {
    return this.during(() => this.inner.control(key));
  }

  controls(keys: readonly string[]): Promise<ReadonlyMap<string, ControlDocument>> {
    return this.during(() => this.inner.controls(keys));
  }

  compareAndSet(key: string, expected: bigint | null, value: ControlDocument['value']): Promise<boolean> {
    return this.during(() => this.inner.compareAndSet(key, expected, value));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** Runs one call, with what happens at it. */
  async during<T>(call: () => Promise<T>): Promise<T> {
    const isTime = ++this.calls === this.incident?.atCall;
    if (isTime) await this.strike(this.incident);
    await this.frozen;
    if (this.isDead && !(isTime && this.incident.kind === 'die_after')) throw new CrashError('dead');
    const result = await call();
    if (this.isDead) throw new CrashError('dead');
    return result;
  }

  private async strike({ kind, hook }: Incident): Promise<void> {
    if (kind === 'hook') await hook?.();
    else if (kind === 'freeze') this.frozen = Promise.resolve(hook?.());
    else this.isDead = true;
  }
}

class CrashingCollection<D> implements Collection<D> {
  constructor(
    private readonly inner: Collection<D>,
    private readonly store: CrashingStore,
  ) {}

  get spec(): CollectionSpec {
    return this.inner.spec;
  }

  get(id: string): Promise<Loaded<D> | null> {
    return this.store.during(() => this.inner.get(id));
  }

  getMany(ids: readonly string[]): Promise<ReadonlyMap<string, Loaded<D>>> {
    return this.store.during(() => this.inner.getMany(ids));
  }

  find(query: Query) {
    return this.store.during(() => this.inner.find(query));
  }

  count(index: string, where: Query['where']): Promise<number> {
    return this.store.during(() => this.inner.count(index, where));
  }

  bulkWrite(writes: readonly GuardedWrite<D>[]) {
    return this.store.during(() => this.inner.bulkWrite(writes));
  }

  scan(): AsyncIterable<Loaded<D>> {
    return this.inner.scan();
  }
}
