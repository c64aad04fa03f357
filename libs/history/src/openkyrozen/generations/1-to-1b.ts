import type { Generation1, Generation1b } from './shapes.js';

/** Generation 1 made blanks of a result's line breaks: which of its blanks were some can't be told any more. */
export function from1To1b(call: Generation1): Generation1b {
  return { ...call, generation: '1b', lineBreaks: 'flattened' };
}
