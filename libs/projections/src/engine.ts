import { CollectionSpecMismatchError, InvalidCollectionSpecError } from '@counterfoil/read-models';
import { CheckpointAheadError, LeaseLostError, reasonOf, TooManyParkedError } from './errors.js';
import { Follower, type Applied } from './follower.js';
import { takeLease } from './lease.js';
import { leaseKey } from './names.js';
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

const LONGEST_RETRY_MS = 5000;

/**
 * Keeps the read models of one projection set up to date (promise 27). Any number of engines may run, in any number of processes: the
 * one with the lease works, the others stand by.
 */
export class ProjectionEngine {
  /** What queries of this process read. */
  readonly readModels: ReadModels;
  private readonly settings: Settings;
  private readonly onFault: (error: unknown) => void;
  private readonly listeners = new Set<BatchListener>();
  private readonly nudge = new Nudge();
  private state: EngineState = 'stopped';
  private lastEventAt: string | null = null;
  private fault: EngineFault | null = null;
  private rebuilding: RebuildProgress | null = null;
  private failures = 0;

  constructor(options: EngineOptions) {
    this.settings = settingsOf(options);
    this.readModels = options.readModels ?? openReadModels(options.docs, options.set);
    this.onFault = options.onFault ?? (() => undefined);
  }

  /**
   * Contends for the lease and projects, until the signal aborts. A store that can't be reached is waited for.
   * @throws CheckpointAheadError, TooManyParkedError, CollectionSpecMismatchError, InvalidCollectionSpecError, after which `status` says
   * `failed` until it is run again
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
  waitFor(position: bigint, timeoutMs: number, signal?: AbortSignal): Promise<void> {
    return this.readModels.waitFor(position, timeoutMs, signal);
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

  status(): Promise<ProjectionStatus> {
    return readStatus(this.settings, { state: this.state, lastEventAt: this.lastEventAt, fault: this.fault, rebuild: this.rebuilding });
  }

  /** One time of office: from contending to the loss of the lease, a fault, or the end. */
  private async term(signal: AbortSignal): Promise<void> {
    try {
      this.state = 'contending';
      await this.contendAndFollow(signal);
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
    const follower = new Follower(settings, lease, {
      onGeneration: (generation, position) => {
        this.readModels.told(generation, { position, epoch: settings.events.epoch });
      },
      onApplied: (applied) => {
        this.applied(applied);
      },
    });
    const beating = { everyMs: beatMs(settings), nudge: this.nudge, onBeat: () => follower.beat(signal) };
    await underLease(lease, signal, beating, (inner) => follower.run(inner));
  }

  private applied(applied: Applied): void {
    this.failures = 0;
    this.fault = null;
    this.lastEventAt = applied.lastEventAt ?? this.lastEventAt;
    this.readModels.told(applied.generation, { position: applied.position, epoch: this.settings.events.epoch });
    for (const listener of this.listeners) {
      try {
        listener(applied);
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

/** What no second try can mend. The messages of these errors are ours, and hold no payload. */
function isFatal(error: unknown): error is Error {
  const kinds = [CheckpointAheadError, TooManyParkedError, CollectionSpecMismatchError, InvalidCollectionSpecError];
  return kinds.some((kind) => error instanceof kind);
}
