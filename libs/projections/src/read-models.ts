import type { Collection, DocumentStore, ProjectionSet } from '@counterfoil/read-models';
import type { Reached } from './checkpoint.js';
import { ProjectionLaggingError, StreamParkedError } from './errors.js';
import { readPointer } from './generations.js';
import { collectionSpec, partitionOf } from './names.js';
import { ParkedStreams, type ParkedStream } from './parked.js';
import { readPositions } from './positions.js';
import { Progress } from './progress.js';
import { checkedPartitions } from './settings.js';
import { SharedRead } from './shared-read.js';
import { monotonic, Nudge, type Monotonic } from './timing.js';

export interface ReadModelsOptions {
  /** In how many partitions the engines keep the set; default 1. */
  readonly partitions?: number;
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
  /**
   * How far the active generation is: asked before a query, it is a position that the answer surely contains.
   * @param streams those that the answer is made of; none for everything
   */
  position(streams?: readonly string[]): Promise<bigint>;
  /**
   * Resolves when the active generation contains everything up to a position (promise 28). A stream that is parked holds nobody up: its
   * events are left out, its partition goes on, and who asks for that very stream is told.
   * @param timeoutMs 0 only looks
   * @param streams those that the answer is made of, by logical name: only their partitions are waited for; none for everything
   * @throws ProjectionLaggingError on time-out; StreamParkedError for a stream that was named; PartitionCountError
   */
  waitFor(position: bigint, timeoutMs: number, signal?: AbortSignal, streams?: readonly string[]): Promise<void>;
  /** The streams that the active generation leaves out. Asked after a query, none is missing that its answer lacks. */
  parked(): Promise<readonly ParkedStream[]>;
  /** An engine of this process tells how far a generation is, or those of its partitions that it names. */
  told(generation: number, reached: Reached, partitions?: Iterable<number>): void;
  /** Somebody of this process switched the pointer. */
  refresh(): void;
}

/**
 * Opens the read models of a set. Works beside any number of engines and rebuilds, in this process and in others.
 * @throws RangeError for a number of partitions that there can't be
 */
export function openReadModels(docs: DocumentStore, set: ProjectionSet, options: ReadModelsOptions = {}): ReadModels {
  return new ActiveGeneration(docs, set, options);
}

interface Active {
  readonly generation: number;
  readonly collections: Map<string, Promise<Collection<unknown>>>;
  readonly progress: Progress;
  /** A look at its checkpoints. */
  readonly look: SharedRead;
  parked: Promise<ParkedStreams> | null;
}

// A new generation that nobody brings to where the old one was isn't waited for for ever.
const LONGEST_HOLD_MS = 10_000;
const HOLD_LOOK_MS = 50;

class ActiveGeneration implements ReadModels {
  private active: Active | null = null;
  private lookAgainAt = 0;
  private heldSince: number | null = null;
  private looking: Promise<Active> | null = null;
  private readonly news = new Nudge();
  private readonly partitions: number;
  private readonly clock: Monotonic;
  private readonly pointerMs: number;
  private readonly pollMs: number;

  constructor(
    private readonly docs: DocumentStore,
    private readonly set: ProjectionSet,
    options: ReadModelsOptions,
  ) {
    this.partitions = checkedPartitions(options.partitions ?? 1);
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

  async position(streams: readonly string[] = []): Promise<bigint> {
    const active = await this.current();
    await active.look.now();
    return active.progress.least(this.partitionsOf(streams));
  }

  async waitFor(
    position: bigint,
    timeoutMs: number,
    signal: AbortSignal = new AbortController().signal,
    streams: readonly string[] = [],
  ): Promise<void> {
    const deadline = this.clock() + timeoutMs;
    const partitions = this.partitionsOf(streams);
    for (;;) {
      const active = await this.current();
      if (active.progress.least(partitions) < position) await active.look.now();
      const reached = active.progress.least(partitions);
      if (reached >= position) return this.checkParked(active, position, streams);
      signal.throwIfAborted();
      const left = deadline - this.clock();
      if (left <= 0) throw new ProjectionLaggingError(position, reached);
      await this.news.wait(Math.min(left, this.pollMs), signal);
    }
  }

  told(generation: number, reached: Reached, partitions?: Iterable<number>): void {
    if (this.active?.generation !== generation) this.refresh();
    else this.active.progress.told(reached, partitions ?? null);
    this.news.now();
  }

  refresh(): void {
    this.lookAgainAt = 0;
    this.news.now();
  }

  async parked(): Promise<readonly ParkedStream[]> {
    return (await this.parkedOf(await this.current())).list(Infinity);
  }

  /** @throws StreamParkedError if one of the streams was left out at the position or before */
  private async checkParked(active: Active, position: bigint, streams: readonly string[]): Promise<void> {
    if (streams.length === 0) return;
    const parked = await this.parkedOf(active);
    for (const stream of streams) {
      const at = parked.since(stream);
      if (at !== null && at <= position) throw new StreamParkedError(stream, at);
    }
  }

  /** What was parked until now: an engine notes it before it goes on, so that who has waited for a position finds it. */
  private async parkedOf(active: Active): Promise<ParkedStreams> {
    const known = active.parked;
    if (known !== null) {
      await (await known).refresh();
      return known;
    }
    const loaded = ParkedStreams.load(this.docs, this.set, active.generation, Infinity);
    active.parked = loaded;
    loaded.catch(() => (active.parked = null));
    return loaded;
  }

  private partitionsOf(streams: readonly string[]): readonly number[] | null {
    return streams.length === 0 ? null : [...new Set(streams.map((stream) => partitionOf(stream, this.partitions)))];
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
    const next = this.activeOf(generation);
    await next.look.now();
    if (before !== null && this.mustHold(before, next)) {
      this.lookAgainAt = this.clock() + HOLD_LOOK_MS;
      return before;
    }
    this.heldSince = null;
    this.lookAgainAt = lookAgainAt;
    this.active = next;
    return next;
  }

  /**
   * The old generation may have got a few events more between the rebuild's last look and the switch. Whoever has seen them must not see
   * time go back: queries stay with the old generation until an engine has brought the new one as far.
   */
  private mustHold(before: Active, next: Active): boolean {
    if (!next.progress.isBehind(before.progress)) return false;
    this.heldSince ??= this.clock();
    return this.clock() - this.heldSince < LONGEST_HOLD_MS;
  }

  private activeOf(generation: number): Active {
    const progress = new Progress(this.partitions);
    const look = new SharedRead(async () => {
      const found = await readPositions(this.docs, this.set, generation, this.partitions);
      if (found !== null) progress.read(found);
    });
    return { generation, collections: new Map(), progress, look, parked: null };
  }

  private open(generation: number, name: string): Promise<Collection<unknown>> {
    const projection = this.set.projections.find((candidate) => candidate.name === name);
    if (projection === undefined) throw new RangeError(`the set ${this.set.name} has no projection ${name}`);
    return this.docs.collection<unknown>(collectionSpec(this.set, generation, projection));
  }
}
