import { isFatal, LeaseLostError, reasonOf } from './errors.js';
import { Follower, type Applied } from './follower.js';
import { takeLease, type Lease } from './lease.js';
import { leaseKey } from './names.js';
import { PartitionFollower } from './partitioned/follower.js';
import { Ownership, type OwnershipChange } from './partitioned/ownership.js';
import { Slots } from './partitioned/slots.js';
import { openReadModels, type ReadModels } from './read-models.js';
import { rebuild, type RebuildOptions, type RebuildProgress, type RebuildResult } from './rebuild.js';
import { beatMs, settingsOf, type ProjectionOptions, type Settings } from './settings.js';
import { readStatus, type EngineFault, type EngineState, type ProjectionStatus } from './status.js';
import { Nudge, pause } from './timing.js';
import { underLease } from './under-lease.js';

export interface EngineOptions extends ProjectionOptions {
  /** Those of this process, so that its reads wake at once; made by the engine when not given. */
  readonly readModels?: ReadModels;
  /** Hears of every fault: those after which the engine tries again, those of listeners, and the one that ends it. */
  readonly onFault?: (error: unknown) => void;
}

/** What listeners are told after each applied batch. */
export type BatchListener = (applied: Applied) => void;

/** What listeners are told when partitions come to this engine or leave it; an engine that projects everything has only one. */
export type OwnershipListener = (change: OwnershipChange) => void;

const LONGEST_RETRY_MS = 5000;

/**
 * Keeps the read models of one projection set up to date (promise 27). Any number of engines may run, in any number of processes: the
 * one with the lease works, the others stand by. With more than one partition they share them instead, and stand in for each other.
 */
export class ProjectionEngine {
  /** What queries of this process read. */
  readonly readModels: ReadModels;
  private readonly settings: Settings;
  private readonly onFault: (error: unknown) => void;
  private readonly listeners = new Set<BatchListener>();
  private readonly ownershipListeners = new Set<OwnershipListener>();
  private readonly slots: Slots;
  private readonly nudge = new Nudge();
  private state: EngineState = 'stopped';
  private lastEventAt: string | null = null;
  private fault: EngineFault | null = null;
  private rebuilding: RebuildProgress | null = null;
  private failures = 0;

  constructor(options: EngineOptions) {
    this.settings = settingsOf(options);
    this.slots = new Slots(this.settings);
    this.readModels = options.readModels ?? openReadModels(options.docs, options.set, { partitions: this.settings.partitions });
    this.onFault = options.onFault ?? (() => undefined);
  }

  /**
   * Contends for the lease, or for a share of the partitions, and projects, until the signal aborts. A store that can't be reached is
   * waited for.
   * @throws CheckpointAheadError, TooManyParkedError, PartitionCountError, CollectionSpecMismatchError, InvalidCollectionSpecError, after
   * which `status` says `failed` until it is run again
   */
  async run(signal: AbortSignal): Promise<void> {
    if (this.state === 'contending' || this.state === 'running') throw new Error('this engine is running already');
    this.fault = null;
    this.failures = 0;
    this.state = 'contending';
    try {
      while (!signal.aborted) await this.term(signal);
      this.state = 'stopped';
    } catch (error) {
      this.state = 'failed';
      throw error;
    }
  }

  /** Rebuilds the set beside the live generation; see `rebuild`. The engine needs not be running. */
  async rebuild(options: Pick<RebuildOptions, 'onProgress' | 'signal'> = {}): Promise<RebuildResult> {
    const onProgress = (progress: RebuildProgress): void => {
      this.rebuilding = progress;
      options.onProgress?.(progress);
    };
    // An owner of its own: the engine's name is in the engine's lease.
    const { events, docs, set, batchSize, leaseMs, graceMs, clock, now } = this.settings;
    try {
      return await rebuild({ events, docs, set, batchSize, leaseMs, graceMs, clock, now, ...options, onProgress });
    } finally {
      this.rebuilding = null;
      this.readModels.refresh();
      this.nudge.now();
    }
  }

  /** See ReadModels.waitFor. */
  waitFor(position: bigint, timeoutMs: number, signal?: AbortSignal, streams?: readonly string[]): Promise<void> {
    return this.readModels.waitFor(position, timeoutMs, signal, streams);
  }

  /**
   * Calls back after each batch that this engine applied; an engine that stands by applies none. May tell of a batch twice.
   * @returns a function that ends it
   */
  listen(listener: BatchListener): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  /**
   * Calls back when partitions have come to this engine, were given back by it, or were lost.
   * @returns a function that ends it
   */
  watchOwnership(listener: OwnershipListener): () => void {
    this.ownershipListeners.add(listener);
    return () => {
      this.ownershipListeners.delete(listener);
    };
  }

  status(): Promise<ProjectionStatus> {
    return readStatus(this.settings, { state: this.state, lastEventAt: this.lastEventAt, fault: this.fault, rebuild: this.rebuilding });
  }

  /** One time of office: from contending to the loss of the lease, a fault, or the end. */
  private async term(signal: AbortSignal): Promise<void> {
    try {
      this.state = 'contending';
      await (this.settings.partitions === 1 ? this.contendAndFollow(signal) : this.joinAndFollow(signal));
    } catch (error) {
      // What fails because everything is being stopped is no fault.
      if (signal.aborted) return;
      if (error instanceof LeaseLostError) return;
      this.noteFault(error);
      if (isFatal(error)) throw error;
      this.state = 'contending';
      const { retryMs } = this.settings;
      await pause(Math.min(retryMs * 2 ** Math.min(this.failures++, 10), LONGEST_RETRY_MS), signal);
    }
  }

  private async contendAndFollow(signal: AbortSignal): Promise<void> {
    const { settings } = this;
    const { docs, set, owner, leaseMs, clock } = settings;
    const lease = await takeLease({ docs, key: leaseKey(set), owner, leaseMs, clock }, signal, 'wait');
    if (lease === null) return;
    this.state = 'running';
    const owned = this.ownershipOf(lease);
    owned.changed({ kind: 'taken', partitions: [0], owned: 1, previous: [] });
    const follower = new Follower(settings, lease, {
      onGeneration: (generation, position) => {
        this.readModels.told(generation, { position, epoch: settings.events.epoch });
      },
      onApplied: (applied) => {
        this.applied(applied);
      },
    });
    const beating = { everyMs: beatMs(settings), nudge: this.nudge, onBeat: () => follower.beat(signal) };
    await underLease(lease, signal, beating, (inner) => follower.run(inner).finally(owned.end));
  }

  private async joinAndFollow(signal: AbortSignal): Promise<void> {
    const { settings } = this;
    const slot = await this.slots.join(signal);
    if (slot === null) return;
    this.state = 'running';
    const owned = this.ownershipOf(slot.lease);
    const ownership = new Ownership(settings, this.slots, slot, owned.changed);
    const follower = new PartitionFollower(settings, slot, ownership, {
      onGeneration: () => {
        this.readModels.refresh();
      },
      onApplied: (applied, partitions) => {
        this.applied(applied, partitions);
      },
      onFault: (error) => {
        this.noteFault(error);
      },
      hasFault: () => this.fault !== null,
      onWell: () => {
        this.failures = 0;
        this.fault = null;
      },
    });
    const beating = { everyMs: beatMs(settings), nudge: this.nudge, onBeat: () => follower.beat(signal) };
    await underLease(slot.lease, signal, beating, (inner) => follower.run(inner).finally(owned.end));
  }

  /** Tells of what changes, and at the end of what becomes of the rest. */
  private ownershipOf(lease: Lease): { readonly changed: OwnershipListener; readonly end: () => void } {
    const owned = new Set<number>();
    const changed = (change: OwnershipChange): void => {
      for (const partition of change.partitions) {
        if (change.kind === 'taken') owned.add(partition);
        else owned.delete(partition);
      }
      this.tell(this.ownershipListeners, change);
    };
    const end = (): void => {
      const kind = lease.lost.aborted ? 'lost' : 'given_back';
      if (owned.size > 0) changed({ kind, partitions: [...owned], owned: 0, previous: [] });
    };
    return { changed, end };
  }

  private applied(applied: Applied, partitions?: Iterable<number>): void {
    this.failures = 0;
    this.fault = null;
    this.lastEventAt = applied.lastEventAt ?? this.lastEventAt;
    this.readModels.told(applied.generation, { position: applied.position, epoch: this.settings.events.epoch }, partitions);
    this.tell(this.listeners, applied);
  }

  private tell<T>(listeners: Iterable<(news: T) => void>, news: T): void {
    for (const listener of listeners) {
      try {
        listener(news);
      } catch (error) {
        // A listener's fault is not the projections' (case 61).
        this.onFault(error);
      }
    }
  }

  private noteFault(error: unknown): void {
    const message = isFatal(error) ? error.message : 'the projections are tried again after a pause';
    this.fault = { code: reasonOf(error), message };
    this.onFault(error);
  }
}
