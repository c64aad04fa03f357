import { PlanId, SessionId, TaskStatus, UserId, wellFormed } from '@counterfoil/contracts';
import { z } from 'zod';
import { pageShape } from '../shared/page.js';

const statuses = z
  .string()
  .max(256)
  .transform((text) => [...new Set(text.split(','))])
  .pipe(z.array(TaskStatus).min(1));

const shape = {
  session: SessionId.optional(),
  /** Plan ids are unique within a session: name it, too, where only one is meant. Old tasks had no plan. */
  plan: PlanId.optional(),
  /** One or several, separated by commas. */
  status: statuses.optional(),
  /** `imported`: tasks from before Counterfoil, which are of another shape. Else the tasks of Working Plans. */
  provenance: z.enum(['live', 'imported']).optional(),
  /** Only of imported tasks. */
  user: UserId.optional(),
  /** Only of imported tasks: the id that the task had, not unique. */
  task: wellFormed(1, 512).optional(),
};

const livesInPlan = { message: 'is of tasks of Working Plans: imported ones have none', path: ['plan'] };
const isImported = (name: string) => ({ message: 'needs `provenance=imported` beside it', path: [name] });

/** The query string of GET /v1/tasks. */
export const TaskListQuery = z
  .strictObject({ ...shape, ...pageShape })
  .refine(({ provenance, plan }) => provenance !== 'imported' || plan === undefined, livesInPlan)
  .refine(({ provenance, user }) => provenance === 'imported' || user === undefined, isImported('user'))
  .refine(({ provenance, task }) => provenance === 'imported' || task === undefined, isImported('task'));
export type TaskListQuery = z.infer<typeof TaskListQuery>;
