import type { GuardedWrite, Loaded, ProjectionSet } from '@counterfoil/read-models';
import { reasonOf, type Poison } from './errors.js';
import type { Step } from './plan.js';

/** A document in memory while a batch is folded into it. */
interface Slot {
  /** The guard that the store must still have; null when the document is absent there. */
  stored: bigint | null;
  guard: bigint | null;
  doc: unknown;
  isChanged: boolean;
}

/**
 * The documents of a batch, in memory. A guard moves only when the document does, so that it doesn't depend on how events were cut into
 * batches; an event at or below it was folded before (promise 27).
 */
export class Workspace {
  /** By projection, then by document id. */
  private readonly slots: readonly Map<string, Slot>[];

  constructor(private readonly set: ProjectionSet) {
    this.slots = set.projections.map(() => new Map<string, Slot>());
  }

  /** Puts documents as they were read in their places, or absent ones. */
  load(projection: number, ids: Iterable<string>, found: ReadonlyMap<string, Loaded<unknown>>): void {
    for (const id of ids) {
      const loaded = found.get(id);
      const guard = loaded?.guard ?? null;
      this.slots[projection]?.set(id, { stored: guard, guard, doc: loaded?.doc ?? null, isChanged: false });
    }
  }

  /** Folds one stored event into all documents that it touches, or into none and says why. */
  fold(step: Step): Poison | null {
    if (step.poison !== null) return step.poison;
    const folded = new Map<Slot, unknown>();
    for (const { projection: index, id, event } of step.touches) {
      const slot = this.slots[index]?.get(id);
      const projection = this.set.projections[index];
      if (slot === undefined || projection === undefined || (slot.guard !== null && step.position <= slot.guard)) continue;
      try {
        folded.set(slot, projection.evolve(folded.has(slot) ? folded.get(slot) : slot.doc, event, id));
      } catch (error) {
        const { stream, position, type } = step;
        return { stream, position, type, reason: reasonOf(error), projection: projection.name, detail: null };
      }
    }
    for (const [slot, doc] of folded) {
      if (doc === slot.doc) continue;
      slot.doc = doc;
      slot.guard = step.position;
      slot.isChanged = true;
    }
    return null;
  }

  /** The writes that bring the store to what was folded. Throws what a projection's `fields` throws. */
  writes(projection: number): GuardedWrite<unknown>[] {
    const writes: GuardedWrite<unknown>[] = [];
    for (const [id, { stored, guard, doc, isChanged }] of this.slots[projection] ?? []) {
      if (!isChanged || guard === null) continue;
      const fields = doc === null ? {} : (this.set.projections[projection]?.fields(doc) ?? {});
      writes.push({ id, expected: stored, guard, doc, fields });
    }
    return writes;
  }

  /** Notes that these writes are in the store. */
  written(projection: number, writes: readonly GuardedWrite<unknown>[]): void {
    for (const { id, guard } of writes) {
      const slot = this.slots[projection]?.get(id);
      if (slot === undefined) continue;
      slot.stored = guard;
      slot.isChanged = false;
    }
  }
}
