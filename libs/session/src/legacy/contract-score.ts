import type { Criterion } from '@counterfoil/contracts';
import { commandFingerprint } from '../fingerprints.js';
import { criterionActionOf, taskActionOf } from './actions.js';
import { argsFingerprint, commandSpellings } from './argument-text.js';
import type { Contracted, InferenceBasis, LegacyReport } from './report.js';

/** How well a call keeps to what a task is about. */
export interface Score {
  readonly points: 200 | 150 | 120;
  readonly basis: InferenceBasis;
}

/** True for a task that says which action it is about: by its contract, or by a criterion that names a command. */
export const isContracted = ({ contract, criteria }: Contracted): boolean =>
  contract !== null || criteria.some(({ kind }) => kind === 'command');

/**
 * The old score of a task: a contract decides alone, with its arguments or, if it names none, by the action; without one the task's command
 * criteria count, each by exactly its command. Null: the call doesn't keep to it, or there is nothing to keep to.
 */
export function scoreOf(task: Contracted, report: LegacyReport): Score | null {
  const { contract } = task;
  const action = taskActionOf(report.action, report.generation);
  if (contract === null) {
    return task.criteria.some((criterion) => isRunOf(criterion, action, report)) ? { points: 120, basis: 'criterion_args' } : null;
  }
  if (taskActionOf(contract.action, report.generation) !== action) return null;
  if (contract.argsFingerprint === null) return { points: 150, basis: 'contract' };
  const isEqual = report.args !== null && contract.argsFingerprint === argsFingerprint(report.key, report.args);
  return isEqual ? { points: 200, basis: 'contract_args' } : null;
}

/** An old runtime names no working directory: a criterion that does is no run of it. */
function isRunOf(criterion: Criterion, action: string, { key, args, generation }: LegacyReport): boolean {
  if (criterion.kind !== 'command' || args === null) return false;
  const { tool, fingerprint } = criterion;
  if (criterionActionOf(tool.name, generation) !== action) return false;
  return commandSpellings(args).some((command) => commandFingerprint(key, { tool, command, cwd: null }) === fingerprint);
}
