import { admitArguments } from '@counterfoil/canonical';
import type { CriterionBody } from '@counterfoil/contracts';
import type {
  ActivatePlan,
  AddTask,
  ChangeTask,
  ClosePlan,
  CompleteTask,
  ObserveToolCall,
  RecordEvidence,
  TaskChange,
  TaskPlan,
} from '@counterfoil/session';
import { ARGUMENTS, freeJson, freeText, receiptIdFor, TOOL, type ReportChange } from './session-commands.js';

/** The tool with which the builders' plan runs commands. */
export const RUN = { source: 'builtin', name: 'run' } as const;

/** Arguments of a run of `RUN`, as JSON text. */
export const runArguments = (command: string, cwd = '/w'): string => JSON.stringify({ command, cwd });

export const commandCriterion = (id = 'c1', command = 'npm test', cwd: string | null = '/w'): CriterionBody => ({
  id,
  kind: 'command',
  tool: RUN,
  command,
  ...(cwd === null ? {} : { cwd }),
});

export const taskPlan = (taskId = 't1', criteria: readonly CriterionBody[] = [commandCriterion()]): TaskPlan => ({
  taskId,
  title: `task ${taskId}`,
  description: null,
  criteria,
});

export const activatePlan = (change: Partial<ActivatePlan> = {}): ActivatePlan => ({
  type: 'ActivatePlan',
  planId: 'p1',
  title: 'a plan',
  tasks: [taskPlan()],
  ...change,
});

export const closePlan = (change: Partial<ClosePlan> = {}): ClosePlan => ({ type: 'ClosePlan', planId: 'p1', reason: null, ...change });

export const addTask = (task: TaskPlan = taskPlan('t2')): AddTask => ({ type: 'AddTask', task });

export const changeTask = (change: TaskChange, taskId = 't1', reason: string | null = null): ChangeTask => ({
  type: 'ChangeTask',
  taskId,
  change,
  reason: reason === null ? null : freeText(reason),
});

/** @param met criterion ids with the evidence that meets each */
export const completeTask = (met: Readonly<Record<string, string>> = { c1: 'e1' }, change: Partial<CompleteTask> = {}): CompleteTask => ({
  type: 'CompleteTask',
  taskId: 't1',
  met: Object.entries(met).map(([criterionId, evidenceId]) => ({ criterionId, evidenceId })),
  acceptance: null,
  ...change,
});

export const recordEvidence = (change: Partial<RecordEvidence> = {}): RecordEvidence => ({
  type: 'RecordEvidence',
  evidenceId: 'e1',
  taskId: 't1',
  criterionId: null,
  source: { kind: 'receipt', receiptId: receiptIdFor() },
  ...change,
});

export type ObserveChange = Partial<Omit<ObserveToolCall, 'arguments' | 'outcome'>> &
  Pick<ReportChange, 'outcome'> & { readonly args?: string };

export function observeToolCall({ args = ARGUMENTS, outcome, ...change }: ObserveChange = {}): ObserveToolCall {
  return {
    type: 'ObserveToolCall',
    callId: 'call_0',
    callIdSource: 'native',
    turn: 'turn-1',
    tool: { ...TOOL, declared: null },
    arguments: admitArguments(args),
    taskId: null,
    outcome: { status: 'succeeded', exitCode: null, signal: null, isError: null, error: null, ...outcome },
    output: freeJson('"done"'),
    observation: null,
    startedAt: null,
    completedAt: null,
    ...change,
  };
}
