import type { WorkMeter } from './linear-pattern.js';
import type { Weights } from './weights.js';

/** The work that was allowed is used up. */
export class WorkLimitError extends Error {
  constructor() {
    super('more work than is allowed');
    this.name = 'WorkLimitError';
  }
}

/**
 * Counts the work of one check. What an agent sends decides how often a schema comes to itself again: with two options that each hold
 * the schema again, twice as often for each level of the arguments. So it is counted, in values looked at and never in time, which
 * makes the answer the same on every machine.
 */
export class Meter implements WorkMeter {
  private left = 0;
  private weights: Weights | null = null;

  /** Allows so much work in `work`, and no more. @throws WorkLimitError out of it */
  run<T>(allowed: number, weights: Weights, work: () => T): T {
    this.left = allowed;
    this.weights = weights;
    try {
      this.spend(weights.total);
      return work();
    } finally {
      this.weights = null;
    }
  }

  /** Counts another look at a value, with all that is in it, or something that takes so many times as long. */
  look(value: unknown, times = 1): void {
    this.spend(times * (this.weights?.of(value) ?? 1));
  }

  spend(work: number): void {
    this.left -= work;
    if (this.left < 0) throw new WorkLimitError();
  }
}
