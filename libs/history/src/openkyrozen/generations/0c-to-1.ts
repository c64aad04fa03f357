import type { Generation0c, Generation1 } from './shapes.js';

/** Generation 0c had no operations, times, codes or exit status, and the words of its results give none (promise 18). */
export function from0cTo1(call: Generation0c): Generation1 {
  return {
    ...call,
    generation: '1',
    operationId: null,
    startedAt: null,
    completedAt: null,
    failure: null,
    exitCode: null,
    verifiedEffect: null,
  };
}
