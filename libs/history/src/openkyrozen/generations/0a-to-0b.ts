import type { Generation0a, Generation0b } from './shapes.js';

/** Generation 0a kept no arguments and no id, and copied what succeeded into every task: which one it was for is in no entry. */
export function from0aTo0b(call: Generation0a): Generation0b {
  return { ...call, generation: '0b', arguments: { kind: 'absent' }, receiptId: null, taskId: null };
}
