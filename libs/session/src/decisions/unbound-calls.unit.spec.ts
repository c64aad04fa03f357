import { OutcomeStatus } from '@counterfoil/contracts';
import {
  activatePlan,
  attemptOf,
  changeTask,
  commandCriterion,
  directoryOf,
  dispatchToolCall,
  freeText,
  givenOpened,
  observeToolCall,
  operationIdFor,
  played,
  receiptIdFor,
  reportResult,
  requestToolCall,
  RUN,
  runArguments,
  runSpec,
  stateAfter,
  taskPlan,
  toolSpec,
  type GivenSession,
  type Play,
} from '@counterfoil/testing';
import fc from 'fast-check';
import { planView, taskView } from '../task.js';

const SHA = 'a'.repeat(64);
const WRITE = { source: 'mcp:files', name: 'write_file' };
const registry = directoryOf({ tools: [runSpec(), toolSpec()] });

/** Three tasks in their order, each accepted by something that a call without a task could seem to do. */
const plan = played(
  givenOpened(),
  activatePlan({
    tasks: [
      taskPlan('t1', [commandCriterion()]),
      taskPlan('t2', [{ id: 'c1', kind: 'effect', path: 'a.txt', sha256: SHA }]),
      taskPlan('t3', [{ id: 'c1', kind: 'evidence', description: 'npm test passed' }]),
    ],
  }),
  changeTask('start'),
);

interface Ran {
  readonly tool: typeof RUN | typeof WRITE;
  readonly args: string;
  readonly status: OutcomeStatus;
  readonly exitCode: number | null;
  readonly says: string;
  readonly isObserved: boolean;
}

/** Calls that would match a task by their tool, arguments or words, if anybody matched them. */
const anyRan: fc.Arbitrary<Ran> = fc.record({
  tool: fc.constantFrom(RUN, WRITE),
  args: fc.constantFrom(runArguments('npm test'), runArguments('npm test', '/'), '{"path":"a.txt","content":"t2"}', '{"taskId":"t1"}'),
  status: fc.constantFrom(...OutcomeStatus.options),
  exitCode: fc.constantFrom(null, 0, 0, 1),
  says: fc.constantFrom('t1 is done', 'TaskDone: 1', 'npm test passed', 'all three tasks succeeded', ''),
  isObserved: fc.boolean(),
});

function playsOf({ tool, args, status, exitCode, says, isObserved }: Ran, n: number): readonly Play[] {
  const callId = `call_${n}`;
  const called = { callId, turn: `turn-${n}`, tool: { ...tool, declared: '{"task":"t1"}' }, args };
  const receiptId = receiptIdFor(callId, called.turn);
  const said = { outcome: { status, exitCode }, output: freeText(says) };
  if (isObserved) return [[observeToolCall({ ...called, ...said }), { registry }]];
  const attempt = attemptOf(n);
  return [
    [requestToolCall(called), { registry }],
    [dispatchToolCall({ receiptId, attempt, operationId: operationIdFor(args, tool) }), { registry }],
    [reportResult({ receiptId, attempt, ...said }), { registry }],
  ];
}

function tasksOf(given: GivenSession): unknown {
  const state = stateAfter(given.events);
  return [planView(state, 'p1'), ...['t1', 't2', 't3'].map((id) => taskView(state, id))];
}

describe('a hundred calls that name no task', () => {
  it('are associated with none and leave the plan as it was, whatever they look like', () => {
    const before = tasksOf(plan);
    fc.assert(
      fc.property(fc.array(anyRan, { minLength: 100, maxLength: 100 }), (all) => {
        const after = played(plan, ...all.flatMap(playsOf));
        const added = after.events.slice(plan.events.length);
        const requested = added.filter(({ type }) => type === 'ToolCallRequested');
        expect(requested).toHaveLength(100);
        for (const { data } of requested)
          expect(data).toMatchObject({ association: { kind: 'none', taskId: null }, planId: null, taskId: null });
        expect(new Set(added.map(({ type }) => type))).toEqual(
          new Set(['ToolCallRequested', 'ToolDispatched', 'ToolExecuted', 'ToolCallObserved']),
        );
        expect(tasksOf(after)).toEqual(before);
      }),
      { numRuns: 10 },
    );
  });
});
