import type { TaskStatus } from '@counterfoil/contracts';
import type { EventOf } from './events.js';

/** To which state each of a task's events leads (design §4, States). */
export const LEADS_TO = {
  TaskStarted: 'running',
  TaskBlocked: 'blocked',
  TaskUnblocked: 'pending',
  TaskSucceeded: 'succeeded',
  TaskFailed: 'failed',
  TaskCancelled: 'cancelled',
  TaskReopened: 'pending',
} as const satisfies Record<string, TaskStatus>;

/** The events that change a task's state: only they do (promise 17). */
export type TransitionEvent = EventOf<keyof typeof LEADS_TO>;
