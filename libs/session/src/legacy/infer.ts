import type { Association } from '@counterfoil/contracts';
import type { SessionState } from '../state.js';
import { isEligible, type Task } from '../task.js';
import { isContracted, scoreOf, type Score } from './contract-score.js';
import { stepOf } from './ordered-plan.js';
import type { Contracted, InferenceBasis, LegacyReport } from './report.js';

const NONE: Association = { kind: 'none', taskId: null };

/**
 * The task to which the old runtime would have put a call: the one that it names, else the one that matches by contract, criterion or order.
 * Only the legacy adapter asks. What it says is marked as inferred, binds nothing and proves nothing (promise 31).
 */
export function inferredAssociation(state: SessionState, report: LegacyReport): Association {
  // A task that was named and doesn't fit is unmatched: nothing else is looked for, as ever.
  if (report.taskId !== null) return namedTask(state, report, report.taskId);
  const { plan } = state;
  if (plan === null || (report.planId !== null && report.planId !== plan.planId)) return NONE;
  const tasks = [...plan.tasks.values()];
  const scored = scoredOf(tasks, report);
  if (scored.length > 0) return bestOf(scored);
  const step = stepOf(tasks, report);
  return step === null ? NONE : inferred(step.taskId, 'ordered_plan');
}

const inferred = (taskId: string, basis: InferenceBasis): Association => ({ kind: 'inferred', taskId, basis });

/** A task of the session that has no contract, or to whose contract the call keeps; whatever its status and its plan are. */
function namedTask(state: SessionState, report: LegacyReport, taskId: string): Association {
  const task = sessionTask(state, taskId, report.planId);
  if (task === null || (isContracted(task) && scoreOf(task, report) === null)) return NONE;
  return inferred(taskId, 'named');
}

/** A task of the active plan, else of an earlier one that is still known. Another session's is never seen. */
function sessionTask({ plan, closedTasks }: SessionState, taskId: string, planId: string | null): Contracted | null {
  const isMeant = (id: string): boolean => planId === null || planId === id;
  const active = plan !== null && isMeant(plan.planId) ? plan.tasks.get(taskId) : undefined;
  if (active !== undefined) return active;
  const closed = closedTasks.get(taskId);
  return closed !== undefined && isMeant(closed.planId) ? closed : null;
}

interface Scored extends Score {
  readonly task: Task;
}

/** The pending and running tasks to which the call keeps. */
function scoredOf(tasks: readonly Task[], report: LegacyReport): readonly Scored[] {
  return tasks
    .filter(({ status }) => isEligible(status))
    .flatMap((task) => {
      const score = scoreOf(task, report);
      return score === null ? [] : [{ task, ...score }];
    });
}

/** The one task that scores highest; of two that do, none. */
function bestOf(scored: readonly Scored[]): Association {
  const highest = Math.max(...scored.map(({ points }) => points));
  const [best, second] = scored.filter(({ points }) => points === highest);
  return best === undefined || second !== undefined ? NONE : inferred(best.task.taskId, best.basis);
}
