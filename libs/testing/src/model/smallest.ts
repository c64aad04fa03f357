import type { Step } from './steps.js';
import type { ModelFault } from './world.js';

/**
 * Takes steps out as long as what is left still goes wrong: halves first, then less and less, down to single ones.
 *
 * @param play gives the fault of fewer steps; null if they go well
 */
export function smallest(fault: ModelFault, play: (steps: readonly Step[]) => ModelFault | null): ModelFault {
  let best = fault;
  for (let size = Math.ceil(best.steps.length / 2); size > 0; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = Math.max(0, best.steps.length - size); from >= 0; from = from === 0 ? -1 : Math.max(0, from - size)) {
      const fewer = play(best.steps.toSpliced(from, size));
      if (fewer !== null && fewer.steps.length < best.steps.length) best = fewer;
    }
  }
  return best;
}
