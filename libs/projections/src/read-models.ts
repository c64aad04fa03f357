import type { Collection, DocumentStore, ProjectionSet } from '@counterfoil/read-models';
import { readReached, type Reached } from './checkpoint.js';
import { ProjectionLaggingError } from './errors.js';
import { readPointer } from './generations.js';
import { collectionSpec } from './names.js';
import { monotonic, Nudge, type Monotonic } from './timing.js';

export interface ReadModelsOptions {
  /** How long the pointer is believed before it is read again; default 1000. */
  readonly pointerMs?: number;
  /** How often a waiting read looks at the checkpoint; default 100. */
  readonly pollMs?: number;
  readonly clock?: Monotonic;
}

/** What queries ask: the active generation of one projection set (design §5, Ports). */
export interface ReadModels {
  /**
   * The collection of a projection in the active generation. To be asked for anew for each query: a rebuild switches generations.
   * @param projection name; its documents must be of type D, which only the caller knows
   */
  collection<D>(projection: string): Promise<Collection<D>>;
  generation(): Promise<number>;
  /** How far the active generation is: asked before a query, it is a position that the answer surely contains. */
  position(): Promise<bigint>;
  /**
   * Resolves when the active generation contains everything up to a position (promise 28).
   * @param timeoutMs 0 only looks
   * @throws ProjectionLaggingError on time-out
   */
  waitFor(position: bigint, timeoutMs: number, signal?: AbortSignal): Promise<void>;
  /** An engine of this process tells how far a generation is. */
  told(generation: number, reached: Reached): void;
  /** Somebody of this process switched the pointer. */
  refresh(): void;
}

/** Opens the read models of a set. Works beside any number of engines and rebuilds, in this process and in others. */
export function openReadModels(docs: DocumentStore, set: ProjectionSet, options: ReadModelsOptions = {}): ReadModels {
  return new ActiveGeneration(docs, set, options);
}

interface Active {
  readonly generation: number;
  readonly collections: Map<string, Promise<Collection<unknown>>>;
  reached: Reached;
}

// A new generation that nobody brings to where the old one was isn't waited for for ever.
const LONGEST_HOLD_MS = 10_000;
const HOLD_LOOK_MS = 50;

class ActiveGeneration implements ReadModels {
  private active: Active | null = null;
  private lookAgainAt = 0;
  private heldSince: number | null = null;
  private looking: Promise<Active> | null = null;
  private readonly progress = new Nudge();
  private readonly clock: Monotonic;
  private readonly pointerMs: number;
  private readonly pollMs: number;

  constructor(
    private readonly docs: DocumentStore,
    private readonly set: ProjectionSet,
    options: ReadModelsOptions,
  ) {
    this.clock = options.clock ?? monotonic;
    this.pointerMs = options.pointerMs ?? 1000;
    this.pollMs = options.pollMs ?? 100;
  }

  async collection<D>(name: string): Promise<Collection<D>> {
    const active = await this.current();
    let opened = active.collections.get(name);
    if (opened === undefined) {
      opened = this.open(active.generation, name);
      active.collections.set(name, opened);
      opened.catch(() => active.collections.delete(name));
    }
    return (await opened) as Collection<D>;
  }

  async generation(): Promise<number> {
    return (await this.current()).generation;
  }

  async position(): Promise<bigint> {
    return this.look(await this.current());
  }

  async waitFor(position: bigint, timeoutMs: number, signal: AbortSignal = new AbortController().signal): Promise<void> {
    const deadline = this.clock() + timeoutMs;
    for (;;) {
      const active = await this.current();
      if (active.reached.position >= position) return;
      const reached = await this.look(active);
      if (reached >= position) return;
      signal.throwIfAborted();
      const left = deadline - this.clock();
      if (left <= 0) throw new ProjectionLaggingError(position, reached);
      await this.progress.wait(Math.min(left, this.pollMs), signal);
    }
  }

  told(generation: number, reached: Reached): void {
    if (this.active?.generation !== generation) {
      this.refresh();
    } else if (isFurther(reached, this.active.reached)) {
      this.active.reached = reached;
    }
    this.progress.now();
  }

  refresh(): void {
    this.lookAgainAt = 0;
    this.progress.now();
  }

  private async current(): Promise<Active> {
    if (this.active !== null && this.clock() < this.lookAgainAt) return this.active;
    // One look for all that ask at the same time.
    this.looking ??= this.readActive().finally(() => {
      this.looking = null;
    });
    return this.looking;
  }

  private async readActive(): Promise<Active> {
    const lookAgainAt = this.clock() + this.pointerMs;
    const { generation } = await readPointer(this.docs, this.set);
    const before = this.active;
    if (before?.generation === generation) {
      this.lookAgainAt = lookAgainAt;
      return before;
    }
    const reached = (await readReached(this.docs, this.set, generation)) ?? { position: 0n, epoch: '' };
    if (before !== null && this.mustHold(before, reached)) {
      this.lookAgainAt = this.clock() + HOLD_LOOK_MS;
      return before;
    }
    this.heldSince = null;
    this.lookAgainAt = lookAgainAt;
    this.active = { generation, collections: new Map(), reached };
    return this.active;
  }

  /**
   * The old generation may have got a few events more between the rebuild's last look and the switch. Whoever has seen them must not see
   * time go back: queries stay with the old generation until an engine has brought the new one as far.
   */
  private mustHold(before: Active, reached: Reached): boolean {
    if (reached.epoch !== before.reached.epoch || reached.position >= before.reached.position) return false;
    this.heldSince ??= this.clock();
    return this.clock() - this.heldSince < LONGEST_HOLD_MS;
  }

  private async look(active: Active): Promise<bigint> {
    const reached = await readReached(this.docs, this.set, active.generation);
    if (reached !== null && isFurther(reached, active.reached)) active.reached = reached;
    return active.reached.position;
  }

  private open(generation: number, name: string): Promise<Collection<unknown>> {
    const projection = this.set.projections.find((candidate) => candidate.name === name);
    if (projection === undefined) throw new RangeError(`the set ${this.set.name} has no projection ${name}`);
    return this.docs.collection<unknown>(collectionSpec(this.set, generation, projection));
  }
}

const isFurther = (next: Reached, before: Reached): boolean => next.epoch !== before.epoch || next.position > before.position;
