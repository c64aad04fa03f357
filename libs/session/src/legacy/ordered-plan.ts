import { isEligible, type Task } from '../task.js';
import { taskActionOf } from './actions.js';
import { isContracted } from './contract-score.js';
import { familyOf } from './families.js';
import type { LegacyReport } from './report.js';

/**
 * The step of a plan in words alone: the first that is not finished, if its words hint at what was done; else the last one before it that
 * succeeded and whose words do, since one step may take several calls. Null as soon as any task of the plan has a contract.
 *
 * @param tasks of the plan, in its order
 */
export function stepOf(tasks: readonly Task[], report: LegacyReport): Task | null {
  if (tasks.some(isContracted)) return null;
  const family = familyOf(taskActionOf(report.action, report.generation));
  const isCompatible = (task: Task | undefined): task is Task => task !== undefined && (task.hints & family) !== 0;
  const at = tasks.findIndex(({ status }) => isEligible(status));
  if (at < 0) return null;
  const next = tasks[at];
  if (isCompatible(next)) return next;
  return tasks.slice(0, at).findLast((task) => task.status === 'succeeded' && isCompatible(task)) ?? null;
}
