import {
  activatePlan,
  addTask,
  changeTask,
  closePlan,
  completeTask,
  givenSession,
  historyOf,
  observeToolCall,
  playHistory,
  recordEvidence,
} from '@counterfoil/testing';
import type { SessionCommand } from './commands.js';
import { decide } from './decide.js';

const SEED = 7_130_271;
const HISTORIES = 20;

/** The commands on plans and tasks; evidence is recorded for a task, and changes none. */
const OF_TASKS: readonly SessionCommand['type'][] = ['ActivatePlan', 'ClosePlan', 'AddTask', 'ChangeTask', 'CompleteTask'];
const OF_CALLS: readonly SessionCommand['type'][] = [
  ...(['OpenSession', 'CloseSession', 'RequestToolCall', 'DispatchToolCall', 'ReportResult', 'CancelToolCall', 'ExtendLease'] as const),
  ...(['GrantApproval', 'DenyApproval', 'ObserveToolCall', 'RecordEvidence', 'Sweep'] as const),
];

describe('the events of tasks', () => {
  it(`are made by the commands on plans and tasks alone, whatever else is said (${HISTORIES} histories)`, () => {
    const made = new Map<string, Set<string>>();
    const accepted = new Set<string>();
    const watched: typeof decide = (state, command, context) => {
      const events = decide(state, command, context);
      if (events.length > 0) accepted.add(command.type);
      for (const { type } of events) {
        if (!/^(Task|WorkingPlan)/.test(type)) continue;
        made.set(type, (made.get(type) ?? new Set()).add(command.type));
      }
      return events;
    };
    for (let n = 0; n < HISTORIES; n++) playHistory(watched, historyOf(SEED, n));
    expect(Object.fromEntries([...made].map(([type, by]) => [type, [...by].sort()]))).toEqual({
      WorkingPlanActivated: ['ActivatePlan'],
      WorkingPlanClosed: ['ActivatePlan', 'ClosePlan'],
      TaskAdded: ['AddTask'],
      TaskStarted: ['ChangeTask'],
      TaskBlocked: ['ChangeTask'],
      TaskUnblocked: ['ChangeTask'],
      TaskSucceeded: ['CompleteTask'],
      TaskFailed: ['ChangeTask'],
      TaskCancelled: ['ChangeTask'],
      TaskReopened: ['ChangeTask'],
    });
    // Every command was taken at least once, or this would say little.
    expect([...accepted].sort()).toEqual([...OF_TASKS, ...OF_CALLS].sort());
  });

  it.each<[string, SessionCommand]>([
    ['a plan', activatePlan()],
    ['its end', closePlan()],
    ['a task', addTask()],
    ['a change', changeTask('start')],
    ['a completion', completeTask()],
    ['evidence', recordEvidence()],
    ['a finished call', observeToolCall({ taskId: 't1' })],
  ])('need the scope of an opened session: %s', (_, command) => {
    givenSession().when(command).thenRefused('not_found');
  });
});
