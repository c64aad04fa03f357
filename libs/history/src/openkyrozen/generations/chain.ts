import { from0aTo0b } from './0a-to-0b.js';
import { from0bTo0c } from './0b-to-0c.js';
import { from0cTo1 } from './0c-to-1.js';
import { from1To1b } from './1-to-1b.js';
import { from1bTo2 } from './1b-to-2.js';
import { from2To3 } from './2-to-3.js';
import type { Generation3, OldCall, StepContext } from './shapes.js';

/** Leads a call of any generation on, one step at a time, to generation 3. Total: each generation has one step, and they end. */
export function toGeneration3(call: OldCall, context: StepContext): Generation3 {
  switch (call.generation) {
    case '0a':
      return toGeneration3(from0aTo0b(call), context);
    case '0b':
      return toGeneration3(from0bTo0c(call), context);
    case '0c':
      return toGeneration3(from0cTo1(call), context);
    case '1':
      return toGeneration3(from1To1b(call), context);
    case '1b':
      return toGeneration3(from1bTo2(call), context);
    case '2':
      return from2To3(call, context);
  }
}
