import type { EventStore } from '@counterfoil/event-store';
import type { ControlDocument, DocumentStore } from '@counterfoil/read-models';
import { CheckpointAheadError, LeaseLostError } from './errors.js';
import { checkpointKey, type SetName } from './names.js';

/** Who moves a checkpoint: the live engine or a rebuild, under the epoch of its lease, or of the partition that it has. */
export interface Fence {
  readonly by: 'live' | 'rebuild';
  readonly epoch: number;
  /** For the checkpoint of a partition: how many there are. */
  readonly partitions?: number;
}

/** How far a generation is. */
export interface Reached {
  readonly position: bigint;
  /** Epoch of the event store that the position belongs to. */
  readonly epoch: string;
}

/** Reads how far a generation's own checkpoint is (see readPositions for its partitions); null when nobody has begun it. */
export async function readReached(docs: DocumentStore, set: SetName, generation: number): Promise<Reached | null> {
  const found = await docs.control(checkpointKey(set, generation));
  return found === null ? null : reachedOf(found);
}

/** How far a checkpoint says that its generation or partition is. */
export function reachedOf({ value }: ControlDocument): Reached {
  return { position: BigInt(value.position ?? 0), epoch: String(value.epoch) };
}

/** What a checkpoint is taken over from: what was found in its place, and from where to go on. */
export interface Takeover {
  readonly key: string;
  readonly found: ControlDocument | null;
  /** The document itself or, for a partition that nobody has had yet, that of its generation; null for the beginning. */
  readonly from: ControlDocument | null;
}

/**
 * The checkpoint of a generation or of a partition in the hands of one owner. Every move is a compare-and-set on the revision that this
 * owner wrote last, and taking it over writes: an owner that was replaced can move it neither forward nor back (promise 27).
 */
export class Checkpoint {
  private constructor(
    private readonly docs: DocumentStore,
    private readonly key: string,
    private readonly epoch: string,
    private readonly fence: Fence,
    private revision: bigint,
    private reached: bigint,
  ) {}

  /**
   * Takes the checkpoint of a generation over.
   * @throws LeaseLostError when a later owner has it; CheckpointAheadError when it doesn't belong to what the event store holds
   */
  static async take(docs: DocumentStore, events: EventStore, set: SetName, generation: number, fence: Fence): Promise<Checkpoint> {
    const key = checkpointKey(set, generation);
    for (;;) {
      const found = await docs.control(key);
      if (found !== null) {
        assertNotFenced(found, fence);
        await assertOfStore(found, events);
      }
      const taken = await Checkpoint.claim(docs, events.epoch, { key, found, from: found }, fence);
      if (taken !== null) return taken;
    }
  }

  /** Takes a checkpoint as it was found; null when it was written meanwhile. Whether it may be taken is the caller's to know. */
  static async claim(docs: DocumentStore, epoch: string, { key, found, from }: Takeover, fence: Fence): Promise<Checkpoint | null> {
    const position = from === null ? 0n : reachedOf(from).position;
    const eventId = from?.value.eventId ?? null;
    const value = valueOf(position, epoch, eventId === null ? null : String(eventId), fence);
    const done = await docs.compareAndSet(key, found?.revision ?? null, value);
    return done ? new Checkpoint(docs, key, epoch, fence, (found?.revision ?? 0n) + 1n, position) : null;
  }

  get position(): bigint {
    return this.reached;
  }

  /**
   * @param eventId of the event at the position, where there is one that can be read
   * @throws LeaseLostError when somebody else has taken it over
   */
  async advance(position: bigint, eventId: string | null): Promise<void> {
    if (position <= this.reached) return;
    const value = valueOf(position, this.epoch, eventId, this.fence);
    while (!(await this.docs.compareAndSet(this.key, this.revision, value))) {
      await this.findAgain();
      if (position <= this.reached) return;
    }
    this.revision++;
    this.reached = position;
  }

  /** A write whose answer was lost makes the next one fail, though nobody else has written. */
  private async findAgain(): Promise<void> {
    const found = await this.docs.control(this.key);
    if (found?.value.by !== this.fence.by || found.value.fence !== this.fence.epoch) throw new LeaseLostError(this.key);
    this.revision = found.revision;
    this.reached = reachedOf(found).position;
  }
}

function valueOf(position: bigint, epoch: string, eventId: string | null, fence: Fence): ControlDocument['value'] {
  const { by, epoch: term, partitions } = fence;
  return { position: position.toString(), epoch, eventId, by, fence: term, ...(partitions === undefined ? {} : { partitions }) };
}

/**
 * A live engine follows a rebuild, since it takes a generation only when the pointer names it; never the other way round.
 * @throws LeaseLostError when a later owner has the checkpoint
 */
export function assertNotFenced({ key, value }: ControlDocument, fence: Fence): void {
  const isLater = value.by === fence.by ? Number(value.fence) > fence.epoch : fence.by === 'rebuild';
  if (isLater) throw new LeaseLostError(key);
}

/** @throws CheckpointAheadError when a checkpoint doesn't belong to what the event store holds */
export async function assertOfStore(found: ControlDocument, events: EventStore): Promise<void> {
  const { position, epoch } = reachedOf(found);
  if (epoch !== events.epoch) throw new CheckpointAheadError('the event store has another epoch than the read models were made from');
  const head = await events.head();
  if (position > head) {
    throw new CheckpointAheadError(`the read models are at position ${position.toString()}, the event store ends at ${head.toString()}`);
  }
  const { eventId } = found.value;
  if (typeof eventId !== 'string') return;
  for await (const event of events.readStored(position - 1n, { limit: 1 })) {
    if (event.position === position && event.id !== eventId) {
      throw new CheckpointAheadError(`the event at position ${position.toString()} is not the one that the read models were made from`);
    }
  }
}
