import type { OldHistory } from './old-history.js';
import { gen0a, gen0b, gen0c } from './scenes/gen0.js';
import { gen1Calls } from './scenes/gen1-calls.js';
import { gen1Tasks } from './scenes/gen1-tasks.js';
import { gen1b } from './scenes/gen1b.js';
import { gen2 } from './scenes/gen2.js';
import { gen3 } from './scenes/gen3.js';

/** A history of each generation. */
export const everyHistory = (): readonly OldHistory[] => [
  gen0a('after'),
  gen0b(),
  gen0c(),
  gen1Calls(),
  gen1Tasks(),
  gen1b(),
  gen2(),
  gen3(),
];
