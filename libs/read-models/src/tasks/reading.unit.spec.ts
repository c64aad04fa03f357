import { TaskReading as ReadingSchema, type TaskDocument } from '@counterfoil/contracts';
import {
  evidenceRecorded,
  foldAll,
  plannedTask,
  receiptNamed,
  recordedIn,
  sessionOpened,
  STREAM,
  taskCancelled,
  taskReopened,
  toolCallRequested,
  toolDispatched,
  workingPlanActivated,
} from '@counterfoil/testing';
import { tasksProjection } from './projection.js';
import { taskReading, type ReceiptFacts } from './reading.js';

const ACTIVE = { state: 'active' } as const;
const QUIET = { outdatedAt: null };
const bound = { planId: 'p1', taskId: 't1' };
const asks = (label: string) =>
  toolCallRequested({ ...bound, receiptId: receiptNamed(label), association: { kind: 'task', taskId: 't1' } });
const factsOf = (label: string, status: ReceiptFacts['status']): ReceiptFacts => ({
  receiptId: receiptNamed(label),
  status,
  operationId: label,
});

type Events = Parameters<typeof recordedIn> extends [string, ...infer E] ? E : never;
function taskAfter(...events: Events): TaskDocument {
  const log = recordedIn(STREAM, sessionOpened(), workingPlanActivated({ tasks: [plannedTask()] }), ...events);
  const doc = foldAll(tasksProjection, log).get('w1/s1/p1/t1');
  if (doc === undefined) throw new Error('there is no task');
  return doc;
}

const staleOf = (doc: TaskDocument, session: { readonly outdatedAt: string | null } | null = QUIET): readonly boolean[] =>
  taskReading(doc, ACTIVE, session, []).evidence.map(({ stale }) => stale);

const evidence = (since: string | null, evidenceId = 'e1') => evidenceRecorded({ evidenceId, since });
const changes = toolDispatched({ ...bound, outdates: 'task' });

describe('the evidence of a task that is read', () => {
  it('is fresh while nothing changed since', () => {
    expect(staleOf(taskAfter(evidence(null), evidence('2', 'e2')))).toEqual([false, false]);
  });

  it('is stale after a later change of its task', () => {
    // The change is revision 4, after what the first two rest on.
    expect(staleOf(taskAfter(evidence(null), evidence('2', 'e2'), changes, evidence(null, 'e3'), evidence('4', 'e4')))).toEqual([
      true,
      true,
      false,
      false,
    ]);
  });

  it('is stale after a later change of the whole session, whatever its own task saw', () => {
    const doc = taskAfter(evidence('9'), evidence('10', 'e2'));
    expect(staleOf(doc, { outdatedAt: '10' })).toEqual([true, false]);
    // As numbers, not as texts.
    expect(staleOf(doc, { outdatedAt: '100' })).toEqual([true, true]);
  });

  it('is stale when the task was reopened since', () => {
    expect(staleOf(taskAfter(evidence(null), taskCancelled(), taskReopened(), evidence(null, 'e2')))).toEqual([true, false]);
  });

  it('goes by the later of both', () => {
    const doc = taskAfter(evidence('3'), changes);
    expect(staleOf(doc, { outdatedAt: '1' })).toEqual([false]);
    expect(staleOf(doc, { outdatedAt: '4' })).toEqual([true]);
    expect(staleOf(doc, null)).toEqual([false]);
  });
});

describe('a task that is read', () => {
  it('tells the state of its plan', () => {
    expect(taskReading(taskAfter(), ACTIVE, QUIET, []).planState).toBe('active');
    expect(taskReading(taskAfter(), { state: 'closed' }, QUIET, []).planState).toBe('closed');
    expect(taskReading(taskAfter(), null, QUIET, []).planState).toBe('closed');
  });

  it('tells the states of its last calls, the newest first, of those that are there', () => {
    const found = [factsOf('x', 'failed'), factsOf('a', 'succeeded'), factsOf('c', 'unknown')];
    expect(taskReading(taskAfter(asks('a'), asks('b'), asks('c')), ACTIVE, QUIET, found).lastReceipts).toEqual([
      { receiptId: receiptNamed('c'), status: 'unknown', operationId: 'c' },
      { receiptId: receiptNamed('a'), status: 'succeeded', operationId: 'a' },
    ]);
  });

  it('fits its schema, in the order of its keys', () => {
    const reading = taskReading(taskAfter(asks('a'), changes, evidence(null)), ACTIVE, QUIET, [factsOf('a', 'dispatched')]);
    expect(JSON.stringify(ReadingSchema.parse(reading))).toBe(JSON.stringify(reading));
  });
});
