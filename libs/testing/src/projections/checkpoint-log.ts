import type { DocumentStore } from '@counterfoil/read-models';

interface Written {
  readonly revision: bigint;
  readonly position: bigint;
  readonly fence: number;
}

/** Notes every write of a checkpoint that stores have taken, whoever wrote it. */
export class CheckpointLog {
  private readonly written = new Map<string, Written[]>();

  /** The store, with its checkpoints noted. */
  watch(docs: DocumentStore): DocumentStore {
    const compareAndSet: DocumentStore['compareAndSet'] = async (key, expected, value) => {
      const done = await docs.compareAndSet(key, expected, value);
      if (done && key.startsWith('checkpoint/')) {
        const writes = this.written.get(key) ?? [];
        this.written.set(key, writes);
        writes.push({ revision: (expected ?? 0n) + 1n, position: BigInt(value.position ?? 0), fence: Number(value.fence) });
      }
      return done;
    };
    return Object.create(docs, { compareAndSet: { value: compareAndSet } }) as DocumentStore;
  }

  /** How many writes were noted, over all checkpoints. */
  get count(): number {
    return [...this.written.values()].reduce((sum, writes) => sum + writes.length, 0);
  }

  /** Expects that no checkpoint ever went back, nor came into the hands of an earlier owner. */
  expectForwardOnly(): void {
    for (const [key, writes] of this.written) {
      // In the order in which the store took them, which is not always that in which their answers came.
      const inOrder = writes.toSorted((a, b) => (a.revision < b.revision ? -1 : 1));
      for (const [n, { position, fence }] of inOrder.entries()) {
        const before = inOrder[n - 1];
        if (before !== undefined && (position < before.position || fence < before.fence)) {
          throw new Error(`${key} went from ${before.position.toString()} (fence ${before.fence}) to ${position.toString()} (${fence})`);
        }
      }
    }
  }
}
