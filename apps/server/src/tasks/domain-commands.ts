import type { TaskBody } from '@counterfoil/contracts';
import type { TaskPlan } from '@counterfoil/session';

/** A task as it was sent, turned into what the decider takes. Pure. */
export const toTaskPlan = ({ taskId, title, description, criteria, contract }: TaskBody): TaskPlan => ({
  taskId,
  title: title ?? null,
  description: description ?? null,
  criteria,
  contract: contract ?? null,
});
