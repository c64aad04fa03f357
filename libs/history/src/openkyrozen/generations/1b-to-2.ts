import type { Generation1b, Generation2 } from './shapes.js';

/** Generation 1b took no digest of its arguments; one over what it kept, after redaction and cut, would be over something else. */
export function from1bTo2(call: Generation1b): Generation2 {
  return { ...call, generation: '2', argsSha256: null };
}
