import type { RecordedEvent } from '@counterfoil/contracts';
import type { EventBatch } from '@counterfoil/event-store';
import { Applier, type Touched } from '../applier.js';
import type { Checkpoint } from '../checkpoint.js';
import { LeaseLostError } from '../errors.js';
import { openGeneration } from '../generations.js';
import { partitionOf } from '../names.js';
import { ParkedStreams } from '../parked.js';
import { lastEventId, type Settings } from '../settings.js';
import { allOf } from '../timing.js';
import { takeCheckpoints } from './take-checkpoints.js';

/** How far a partition is: in the documents, and in its checkpoint, which may be behind. */
interface Cursor {
  readonly epoch: number;
  readonly checkpoint: Checkpoint;
  applied: bigint;
  /** Id of the event there, if it could be read. */
  eventId: string | null;
}

/** How long the checkpoint of a partition in which nothing happens may stand behind, in milliseconds. */
export const IDLE_MS = 250;

/** What became of a batch. */
export interface AppliedShare {
  readonly touched: Touched;
  /** Recorded time of the last event of ours in it. */
  readonly lastEventAt: string | null;
}

/**
 * The partitions of one generation that this process works on: applies of each batch what is theirs and new to them, and moves their
 * checkpoints. Its methods are not to be called while another one runs.
 */
export class GenerationShare {
  private readonly cursors = new Map<number, Cursor>();
  private storedAt: number;

  private constructor(
    private readonly settings: Settings,
    readonly generation: number,
    private readonly applier: Applier,
    private readonly parked: ParkedStreams,
  ) {
    this.storedAt = settings.clock();
  }

  /** @param ensureHeld throws when this process may write no more */
  static async open(settings: Settings, generation: number, ensureHeld: () => Promise<void>): Promise<GenerationShare> {
    const { docs, set, mostParked } = settings;
    const parked = await ParkedStreams.load(docs, set, generation, mostParked);
    const applier = new Applier({
      set,
      collections: await openGeneration(docs, set, generation),
      ensureHeld,
      isParked: (stream, position) => parked.isParked(stream, position),
      onPoison: (poison) => parked.park(poison),
    });
    return new GenerationShare(settings, generation, applier, parked);
  }

  /** The partitions that are worked on, with the epochs at which they were taken. */
  partitions(): ReadonlyMap<number, number> {
    return new Map([...this.cursors].map(([partition, { epoch }]) => [partition, epoch]));
  }

  has(partition: number): boolean {
    return this.cursors.has(partition);
  }

  /** From where the events are to be read; null without partitions. */
  get position(): bigint | null {
    let least: bigint | null = null;
    for (const { applied } of this.cursors.values()) if (least === null || applied < least) least = applied;
    return least;
  }

  /** Are there checkpoints that stand behind what was applied? */
  get isBehind(): boolean {
    return [...this.cursors.values()].some(isBehind);
  }

  /**
   * Begins to work on partitions.
   * @param epochs by partition, as they were taken
   * @throws LeaseLostError, CheckpointAheadError, PartitionCountError
   */
  async take(epochs: ReadonlyMap<number, number>): Promise<void> {
    const taken = await takeCheckpoints(this.settings, this.generation, epochs);
    // Only now: what the owner before has parked before its last advance is surely there.
    await this.parked.refresh();
    for (const [partition, checkpoint] of taken) {
      this.cursors.set(partition, { epoch: epochs.get(partition) ?? 0, checkpoint, applied: checkpoint.position, eventId: null });
    }
  }

  /** Works no more on these partitions; says in their checkpoints how far they are. */
  async letGo(partitions: Iterable<number>): Promise<void> {
    const left: Cursor[] = [];
    for (const partition of partitions) {
      const cursor = this.cursors.get(partition);
      if (cursor !== undefined) left.push(cursor);
      this.cursors.delete(partition);
    }
    try {
      await store(left);
    } catch (error) {
      // Another one has them already, and its checkpoints count.
      if (!(error instanceof LeaseLostError)) throw error;
    }
  }

  /**
   * Applies what is ours of the next batch, and moves the checkpoints of the partitions in which something happened; those of the others
   * from time to time. Should it fail, the batch is to be applied again, or a later subscription to begin at `position`.
   * @throws LeaseLostError; what the stores throw
   */
  async apply(batch: EventBatch): Promise<AppliedShare> {
    const { own, partitions } = this.ownPart(batch);
    const touched = await this.applier.apply(own);
    const eventId = lastEventId(batch);
    for (const cursor of this.cursors.values()) {
      if (batch.position > cursor.applied) Object.assign(cursor, { applied: batch.position, eventId });
    }
    if (this.settings.clock() - this.storedAt >= IDLE_MS) await this.flush();
    else await store([...this.cursors].filter(([partition]) => partitions.has(partition)).map(([, cursor]) => cursor));
    return { touched, lastEventAt: own.events.at(-1)?.metadata.recordedAt ?? null };
  }

  /** Says in all checkpoints how far their partitions are. */
  async flush(): Promise<void> {
    this.storedAt = this.settings.clock();
    await store([...this.cursors.values()]);
  }

  /** The events of our partitions that are new to them, and which partitions those are. */
  private ownPart(batch: EventBatch): { readonly own: EventBatch; readonly partitions: ReadonlySet<number> } {
    const partitions = new Set<number>();
    const known = new Map<string, number>();
    const isOwn = ({ stream, position }: Pick<RecordedEvent, 'stream' | 'position'>): boolean => {
      const partition = known.get(stream) ?? partitionOf(stream, this.settings.partitions);
      known.set(stream, partition);
      const cursor = this.cursors.get(partition);
      if (cursor === undefined || position <= cursor.applied) return false;
      partitions.add(partition);
      return true;
    };
    return { own: { ...batch, events: batch.events.filter(isOwn), unreadable: batch.unreadable.filter(isOwn) }, partitions };
  }
}

const isBehind = ({ checkpoint, applied }: Cursor): boolean => checkpoint.position < applied;

async function store(cursors: readonly Cursor[]): Promise<void> {
  await allOf(cursors.filter(isBehind).map(({ checkpoint, applied, eventId }) => checkpoint.advance(applied, eventId)));
}
