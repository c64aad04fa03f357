import type { TaskStatus } from '@counterfoil/contracts';

/** The old words for the states of a task; `done` is what generation 0a called succeeded. Any other word is none of them. */
const STATUSES = new Map<string, TaskStatus>([
  ['pending', 'pending'],
  ['running', 'running'],
  ['in_progress', 'running'],
  ['succeeded', 'succeeded'],
  ['done', 'succeeded'],
  ['failed', 'failed'],
  ['blocked', 'blocked'],
  ['cancelled', 'cancelled'],
]);

export function statusOf(word: string | null): TaskStatus | null {
  return word === null ? null : (STATUSES.get(word) ?? null);
}

/** Where the events of a task led that are not called by the state they led to. */
const LED_TO = new Map<string, TaskStatus>([
  ['created', 'pending'],
  ['claimed', 'running'],
  ['resumed', 'pending'],
  ['recovered', 'pending'],
]);

/** The state that an event `task.<name>` led to; null where it doesn't say. */
export function ledTo(eventType: string): TaskStatus | null {
  const name = eventType.slice('task.'.length);
  return LED_TO.get(name) ?? statusOf(name);
}
