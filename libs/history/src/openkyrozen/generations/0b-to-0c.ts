import type { Generation0b, Generation0c } from './shapes.js';

/** Generation 0b did not say whether a call was authorised: that it left evidence is no answer. */
export function from0bTo0c(call: Generation0b): Generation0c {
  return { ...call, generation: '0c', authorized: null };
}
