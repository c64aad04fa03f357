import type { ControlDocument } from '@counterfoil/read-models';
import { partitionKey } from '../names.js';
import type { Settings } from '../settings.js';
import { allOf } from '../timing.js';
import type { Slot, Slots, SlotState } from './slots.js';

/** Partitions have come to this process, were given back by it, or were lost: another has ended its lease. */
export interface OwnershipChange {
  readonly kind: 'taken' | 'given_back' | 'lost';
  readonly partitions: readonly number[];
  /** How many it has now. */
  readonly owned: number;
  /** Slots of the processes that had them before; none of partitions that nobody had. */
  readonly previous: readonly number[];
}

interface Owned {
  readonly epoch: number;
  readonly revision: bigint;
}

/** A partition as it was found. */
interface Found {
  readonly partition: number;
  readonly document: ControlDocument | null;
}

/** Who has a partition, as its document says. */
interface Claim {
  readonly slot: number | null;
  readonly slotEpoch: number;
  readonly epoch: number;
}

/**
 * Which partitions this process has. Each has a document that names a slot and its epoch: it is owned for as long as the slot has that epoch
 * and is held. Nobody is asked: every process looks at each beat, gives back what is above its fair share, and takes what nobody has.
 */
export class Ownership {
  private readonly owned = new Map<number, Owned>();
  private leaving: ReadonlySet<number> = new Set();
  private change = new AbortController();

  constructor(
    private readonly settings: Settings,
    private readonly slots: Slots,
    private readonly slot: Slot,
    private readonly onChange: (change: OwnershipChange) => void,
  ) {}

  /** The partitions to be projected here, each with the epoch that fences what its earlier owners may still try. */
  kept(): ReadonlyMap<number, number> {
    return new Map(
      [...this.owned].filter(([partition]) => !this.leaving.has(partition)).map(([partition, { epoch }]) => [partition, epoch]),
    );
  }

  /** Aborts when `kept` changes after this call. */
  nextChange(): AbortSignal {
    return this.change.signal;
  }

  /** One look at who lives and who has what. @throws what the store throws; the next look goes on */
  async look(): Promise<void> {
    const { docs, set, partitions, clock } = this.settings;
    const keys = Array.from({ length: partitions }, (_, partition) => partitionKey(set, partition));
    const askedAt = clock();
    const found = await docs.controls([...this.slots.keys, ...keys]);
    const states = await this.slots.judge(found, askedAt, this.slot.index);
    // Somebody else has the slot: its lease will say so.
    if (states.get(this.slot.index)?.epoch !== this.slot.lease.epoch) return;
    const live = [...states.values()].filter(({ isHeld }) => isHeld).length;
    const share = Math.ceil(partitions / live);
    this.leave([...this.owned.keys()].slice(share));
    const free = keys
      .map((key, partition) => ({ partition, document: found.get(key) ?? null }))
      .filter(({ partition, document }) => !this.owned.has(partition) && this.isFree(document, states));
    const wanted = this.rotated(free, share).slice(0, Math.max(0, share - this.owned.size));
    await this.take(wanted);
    await this.returnStrays(free.filter((one) => !wanted.includes(one)));
  }

  /** Gives back those that were to leave and aren't worked on any more. */
  async giveBack(isWorkedOn: (partition: number) => boolean): Promise<void> {
    const given = [...this.leaving].filter((partition) => !isWorkedOn(partition));
    if (given.length === 0) return;
    const { docs, set } = this.settings;
    this.leaving = new Set([...this.leaving].filter((partition) => !given.includes(partition)));
    const writes = given.flatMap((partition) => {
      const owned = this.owned.get(partition);
      // Not ours any more, whatever becomes of the write: what still names us is seen at the next look.
      this.owned.delete(partition);
      return owned === undefined ? [] : [docs.compareAndSet(partitionKey(set, partition), owned.revision, valueOf(null, owned.epoch))];
    });
    this.onChange({ kind: 'given_back', partitions: given, owned: this.owned.size, previous: [] });
    await allOf(writes);
  }

  private leave(partitions: readonly number[]): void {
    const isNew = partitions.some((partition) => !this.leaving.has(partition));
    this.leaving = new Set(partitions);
    if (isNew) this.changed();
  }

  private changed(): void {
    this.change.abort();
    this.change = new AbortController();
  }

  /**
   * Has nobody the partition, or this slot by a write whose answer was lost? A slot's epoch only grows, and its document may have been read
   * before it was taken: who has a later epoch than was seen lives.
   */
  private isFree(document: ControlDocument | null, states: ReadonlyMap<number, SlotState>): boolean {
    if (document === null) return true;
    const claim = claimOf(document);
    // There is no such slot any more where there were more partitions once.
    if (claim.slot === null || claim.slot >= this.settings.partitions || this.isOurs(claim)) return true;
    const state = states.get(claim.slot);
    return state !== undefined && (claim.slotEpoch < state.epoch || (claim.slotEpoch === state.epoch && !state.isHeld));
  }

  private isOurs({ slot, slotEpoch }: Claim): boolean {
    return slot === this.slot.index && slotEpoch === this.slot.lease.epoch;
  }

  /** From another place on for each slot, so that those who look at the same time don't all want the same. */
  private rotated<T extends { readonly partition: number }>(free: readonly T[], share: number): readonly T[] {
    const from = (this.slot.index * share) % this.settings.partitions;
    return [...free.filter(({ partition }) => partition >= from), ...free.filter(({ partition }) => partition < from)];
  }

  private async take(wanted: readonly Found[]): Promise<void> {
    try {
      await allOf(wanted.map((found) => this.takeOne(found)));
    } finally {
      const taken = wanted.filter(({ partition }) => this.owned.has(partition));
      if (taken.length > 0) {
        this.changed();
        const partitions = taken.map(({ partition }) => partition);
        const previous = new Set(taken.flatMap(({ document }) => (document === null ? [] : (claimOf(document).slot ?? []))));
        this.onChange({ kind: 'taken', partitions, owned: this.owned.size, previous: [...previous] });
      }
    }
  }

  private async takeOne({ partition, document }: Found): Promise<void> {
    const { docs, set } = this.settings;
    const epoch = (document === null ? 0 : claimOf(document).epoch) + 1;
    const done = await docs.compareAndSet(partitionKey(set, partition), document?.revision ?? null, valueOf(this.slot, epoch));
    if (done) this.owned.set(partition, { epoch, revision: (document?.revision ?? 0n) + 1n });
  }

  /** What names this slot by a write whose answer was lost, and is too much for it. */
  private async returnStrays(free: readonly Found[]): Promise<void> {
    const { docs, set } = this.settings;
    const writes = free.flatMap(({ partition, document }) => {
      if (document === null || !this.isOurs(claimOf(document))) return [];
      return [docs.compareAndSet(partitionKey(set, partition), document.revision, valueOf(null, claimOf(document).epoch))];
    });
    await allOf(writes);
  }
}

/** Who has a partition by its document. */
export function claimOf({ value }: ControlDocument): Claim {
  const { slot, slotEpoch, epoch } = value;
  return { slot: typeof slot === 'number' ? slot : null, slotEpoch: Number(slotEpoch), epoch: Number(epoch) };
}

function valueOf(slot: Slot | null, epoch: number): ControlDocument['value'] {
  return { slot: slot?.index ?? null, slotEpoch: slot?.lease.epoch ?? 0, epoch };
}
