import type { Reached } from './checkpoint.js';
import type { Positions } from './positions.js';

/**
 * How far the partitions of a generation are, as far as this process knows. A position only grows, until the event store has another epoch:
 * what was known of the one before says nothing then.
 */
export class Progress {
  private positions: bigint[];
  private epoch = '';

  constructor(private readonly partitions: number) {
    this.positions = this.nothing();
  }

  /** Notes what was read. */
  read({ positions, epoch }: Positions): void {
    for (const [partition, position] of positions.entries()) this.note(partition, position, epoch);
  }

  /** Notes what was told of some partitions; null for all. */
  told({ position, epoch }: Reached, partitions: Iterable<number> | null): void {
    for (const partition of partitions ?? this.positions.keys()) this.note(partition, position, epoch);
  }

  /** Everything up to here is in these partitions; null for all. */
  least(partitions: readonly number[] | null): bigint {
    const positions = partitions === null ? this.positions : partitions.map((partition) => this.positions[partition] ?? 0n);
    return positions.reduce((least, position) => (position < least ? position : least), positions[0] ?? 0n);
  }

  /** Has another generation in some partition something that this one hasn't yet? Of another epoch nothing can be said. */
  isBehind(other: Progress): boolean {
    return this.epoch === other.epoch && this.positions.some((position, partition) => position < (other.positions[partition] ?? 0n));
  }

  private note(partition: number, position: bigint, epoch: string): void {
    if (epoch !== this.epoch) {
      this.positions = this.nothing();
      this.epoch = epoch;
    }
    if (position > (this.positions[partition] ?? 0n)) this.positions[partition] = position;
  }

  private nothing(): bigint[] {
    return Array.from({ length: this.partitions }, () => 0n);
  }
}
