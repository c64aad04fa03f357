import type { EventStore } from '@counterfoil/event-store';
import type { ControlDocument, DocumentStore } from '@counterfoil/read-models';
import { CheckpointAheadError, LeaseLostError } from './errors.js';
import { checkpointKey, type SetName } from './names.js';

/** Who moves a checkpoint: the live engine or a rebuild, under the epoch of its lease. */
export interface Fence {
  readonly by: 'live' | 'rebuild';
  readonly epoch: number;
}

/** How far a generation is. */
export interface Reached {
  readonly position: bigint;
  /** Epoch of the event store that the position belongs to. */
  readonly epoch: string;
}

/** Reads how far a generation is; null when nobody has begun it. */
export async function readReached(docs: DocumentStore, set: SetName, generation: number): Promise<Reached | null> {
  const found = await docs.control(checkpointKey(set, generation));
  return found === null ? null : reachedOf(found);
}

function reachedOf({ value }: ControlDocument): Reached {
  return { position: BigInt(value.position ?? 0), epoch: String(value.epoch) };
}

/**
 * The checkpoint of a generation in the hands of one owner. Every move is a compare-and-set on the revision that this owner wrote last,
 * and taking it over writes: an owner that was replaced can move it neither forward nor back (promise 27).
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
      const position = found === null ? 0n : reachedOf(found).position;
      const eventId = found?.value.eventId ?? null;
      const value = valueOf(position, events.epoch, eventId === null ? null : String(eventId), fence);
      if (await docs.compareAndSet(key, found?.revision ?? null, value)) {
        return new Checkpoint(docs, key, events.epoch, fence, (found?.revision ?? 0n) + 1n, position);
      }
    }
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
    if (!(await this.docs.compareAndSet(this.key, this.revision, value))) throw new LeaseLostError(this.key);
    this.revision++;
    this.reached = position;
  }
}

function valueOf(position: bigint, epoch: string, eventId: string | null, fence: Fence): ControlDocument['value'] {
  return { position: position.toString(), epoch, eventId, by: fence.by, fence: fence.epoch };
}

/** A live engine follows a rebuild, since it takes a generation only when the pointer names it; never the other way round. */
function assertNotFenced({ key, value }: ControlDocument, fence: Fence): void {
  const isLater = value.by === fence.by ? Number(value.fence) > fence.epoch : fence.by === 'rebuild';
  if (isLater) throw new LeaseLostError(key);
}

async function assertOfStore(found: ControlDocument, events: EventStore): Promise<void> {
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
