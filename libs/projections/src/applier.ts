import type { EventBatch } from '@counterfoil/event-store';
import { DocumentRejectedError, type Collection, type ProjectionSet } from '@counterfoil/read-models';
import { ProjectionConflictError, reasonOf, type Poison } from './errors.js';
import { Workspace } from './fold.js';
import { planBatch, type Step } from './plan.js';

/** What an applier works on and answers to. */
export interface ApplierTerms {
  readonly set: ProjectionSet;
  /** In the order of the set's projections. */
  readonly collections: readonly Collection<unknown>[];
  /** Throws when this process may write no more. */
  readonly ensureHeld: () => Promise<void>;
  /** Is the event one of a stream that is left out? */
  readonly isParked: (stream: string, position: bigint) => boolean;
  /** Takes note of a poison event; afterwards `isParked` must hold for it. May throw instead, which ends the batch. */
  readonly onPoison: (poison: Poison) => Promise<void>;
}

/** Ids of the documents that a batch touched, by projection. */
export type Touched = ReadonlyMap<string, ReadonlySet<string>>;

const MOST_ATTEMPTS = 20;

/** A projection's index values, or the store, refuse a document: which event did it is found by applying them one by one. */
class RefusedDocumentError extends Error {
  constructor(
    readonly projection: number,
    override readonly cause: unknown,
  ) {
    super('a document was refused');
  }
}

/** Applies batches of events to the documents of one generation. A batch may be applied again: every event counts once (promise 27). */
export class Applier {
  constructor(private readonly terms: ApplierTerms) {}

  async apply(batch: EventBatch): Promise<Touched> {
    const steps = planBatch(this.terms.set, batch);
    await this.applySteps(steps);
    return this.touchedBy(steps);
  }

  private async applySteps(steps: readonly Step[]): Promise<void> {
    if (steps.length === 0) return;
    try {
      await this.applyTogether(steps);
    } catch (error) {
      if (!(error instanceof RefusedDocumentError)) throw error;
      const [only] = steps;
      if (steps.length === 1 && only !== undefined) {
        await this.terms.onPoison(this.poisonOf(only, error));
      } else {
        for (const step of steps) await this.applySteps([step]);
      }
    }
  }

  /** Loads, folds and writes; what others wrote meanwhile is loaded and folded again. */
  private async applyTogether(steps: readonly Step[]): Promise<void> {
    const workspace = new Workspace(this.terms.set);
    let missing: readonly ReadonlySet<string>[] = this.idsOf(steps);
    for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
      await this.load(workspace, missing);
      await this.fold(workspace, steps);
      missing = await this.write(workspace);
      if (missing.every((ids) => ids.size === 0)) return;
    }
    throw new ProjectionConflictError(MOST_ATTEMPTS);
  }

  private async load(workspace: Workspace, ids: readonly ReadonlySet<string>[]): Promise<void> {
    for (const [projection, collection] of this.terms.collections.entries()) {
      const wanted = ids[projection];
      if (wanted !== undefined && wanted.size > 0) workspace.load(projection, wanted, await collection.getMany([...wanted]));
    }
  }

  private async fold(workspace: Workspace, steps: readonly Step[]): Promise<void> {
    for (const step of steps) {
      if (this.terms.isParked(step.stream, step.position)) continue;
      const poison = workspace.fold(step);
      // Noted before anything of the batch is written: should this process end here, the same is found again.
      if (poison !== null) await this.terms.onPoison(poison);
    }
  }

  /** Answers the ids that others wrote first, by projection. */
  private async write(workspace: Workspace): Promise<readonly ReadonlySet<string>[]> {
    const lost: ReadonlySet<string>[] = [];
    for (const [projection, collection] of this.terms.collections.entries()) {
      lost.push(await this.writeCollection(workspace, projection, collection));
    }
    return lost;
  }

  private async writeCollection(workspace: Workspace, projection: number, collection: Collection<unknown>): Promise<ReadonlySet<string>> {
    const writes = refusable(projection, () => workspace.writes(projection));
    if (writes.length === 0) return new Set();
    await this.terms.ensureHeld();
    try {
      const conflicts = new Set((await collection.bulkWrite(writes)).conflicts);
      workspace.written(projection, conflicts.size === 0 ? writes : writes.filter(({ id }) => !conflicts.has(id)));
      return conflicts;
    } catch (error) {
      if (error instanceof DocumentRejectedError) throw new RefusedDocumentError(projection, error);
      throw error;
    }
  }

  private idsOf(steps: readonly Step[]): readonly Set<string>[] {
    const ids = this.terms.set.projections.map(() => new Set<string>());
    for (const { touches } of steps) for (const { projection, id } of touches) ids[projection]?.add(id);
    return ids;
  }

  private touchedBy(steps: readonly Step[]): Touched {
    const ids = this.idsOf(steps);
    return new Map(this.terms.set.projections.map(({ name }, index) => [name, ids[index] ?? new Set()]));
  }

  private poisonOf({ stream, position, type }: Step, { projection, cause }: RefusedDocumentError): Poison {
    const reason = cause instanceof DocumentRejectedError ? (cause.rejected[0]?.reason ?? cause.code) : reasonOf(cause);
    return { stream, position, type, reason, projection: this.terms.set.projections[projection]?.name ?? null, detail: null };
  }
}

function refusable<T>(projection: number, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new RefusedDocumentError(projection, error);
  }
}
