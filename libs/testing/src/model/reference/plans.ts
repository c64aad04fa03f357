import type { IntentTo, Planned } from './intents.js';
import { ACCEPTED, activePlan, SAME, type Moment, type Plan, type Said, type Session, type Task, type TaskStatus } from './shapes.js';

const newTask = ({ id, criteria, content }: Planned): Task => ({
  id,
  criteria,
  content,
  status: 'pending',
  last: null,
  met: [],
  reopened: [],
});

export function activate(session: Session, { plan: id, content, tasks }: IntentTo<'activate'>): Said {
  const before = session.plans.find((plan) => plan.id === id);
  if (before !== undefined) return before.content === content ? SAME : 'plan_conflict';
  if (session.closed) return 'session_closed';
  for (const plan of session.plans) plan.isActive = false;
  session.plans.push({ id, content, isActive: true, tasks: tasks.map(newTask) });
  return ACCEPTED;
}

export function closePlan(session: Session, { plan: id }: IntentTo<'close plan'>): Said {
  const plan = session.plans.find((one) => one.id === id);
  if (plan === undefined) return 'not_found';
  if (!plan.isActive) return SAME;
  if (session.closed) return 'session_closed';
  plan.isActive = false;
  return ACCEPTED;
}

export function addTask(session: Session, { task }: IntentTo<'add task'>): Said {
  const plan = activePlan(session);
  if (plan === undefined) return 'plan_not_active';
  const before = plan.tasks.find(({ id }) => id === task.id);
  if (before !== undefined) return before.content === task.content ? SAME : 'task_conflict';
  if (session.closed) return 'session_closed';
  plan.tasks.push(newTask(task));
  return ACCEPTED;
}

/** A task of the active plan, or why there is none. */
export function taskOf(session: Session, id: string): { readonly plan: Plan; readonly task: Task } | Said {
  const plan = activePlan(session);
  if (plan === undefined) return 'plan_not_active';
  const task = plan.tasks.find((one) => one.id === id);
  return task === undefined ? 'not_found' : { plan, task };
}

/** Design §4, States. */
const CHANGES: Readonly<Record<string, { readonly from: readonly TaskStatus[]; readonly to: TaskStatus }>> = {
  start: { from: ['pending'], to: 'running' },
  block: { from: ['pending', 'running'], to: 'blocked' },
  unblock: { from: ['blocked'], to: 'pending' },
  fail: { from: ['pending', 'running', 'blocked'], to: 'failed' },
  cancel: { from: ['pending', 'running', 'blocked'], to: 'cancelled' },
  reopen: { from: ['succeeded', 'failed', 'cancelled'], to: 'pending' },
};

export function change(session: Session, intent: IntentTo<'change'>, { count }: Moment): Said {
  const found = taskOf(session, intent.task);
  if (typeof found === 'string') return found;
  const { task } = found;
  if (task.last === intent.content) return SAME;
  if (session.closed) return 'session_closed';
  const step = CHANGES[intent.change];
  if (step?.from.includes(task.status) !== true) return 'task_state';
  task.status = step.to;
  task.last = intent.content;
  if (intent.change === 'reopen') {
    task.reopened.push(count);
    task.met = [];
  }
  return ACCEPTED;
}
