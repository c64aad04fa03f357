import { OutcomeStatus, type CriterionBody } from '@counterfoil/contracts';
import {
  activatePlan,
  attemptOf,
  changeTask,
  commandCriterion,
  completeTask,
  directoryOf,
  dispatchToolCall,
  FINGERPRINT_KEY,
  freeText,
  givenOpened,
  observeToolCall,
  operationIdFor,
  played,
  receiptIdFor,
  reportResult,
  requestToolCall,
  stateAfter,
  taskPlan,
  toolSpec,
  type GivenSession,
  type Play,
} from '@counterfoil/testing';
import fc from 'fast-check';
import type { TaskPlan } from '../commands.js';
import { planView } from '../task.js';
import { inferredAssociation } from './infer.js';

const task = (taskId: string, description: string, more: Partial<TaskPlan> = {}): TaskPlan => ({
  ...taskPlan(taskId, []),
  description,
  ...more,
});
const command = (text: string): CriterionBody => ({ ...commandCriterion('c1', text, null) });

/** One plan for each of the old rules, and what would match in it: action and argument text. */
const SCENES = [
  {
    basis: 'contract_args',
    plan: [task('t1', 'x', { contract: { action: 'run_cmd', args: 'npm test' } }), task('t2', 'y', { contract: { action: 'run_cmd' } })],
    matching: [['bash', 'npm test']],
  },
  {
    basis: 'contract',
    plan: [task('t1', 'x', { contract: { action: 'write' } }), task('t2', 'y', { contract: { action: 'git_push' } })],
    matching: [
      ['write_file', 'a.txt|alpha'],
      ['edit_file', '{}'],
    ],
  },
  {
    basis: 'criterion_args',
    plan: [task('t1', 'x', { criteria: [command('make test')] }), task('t2', 'y', { criteria: [command('make lint')] })],
    matching: [
      ['run_cmd', 'make test'],
      ['sh', 'make lint'],
    ],
  },
  {
    basis: 'ordered_plan',
    plan: [task('t1', 'Read the repository'), task('t2', 'Write the parser'), task('t3', 'Run the tests')],
    matching: [
      ['list_dir', '.'],
      ['read_file', 'plain.txt'],
    ],
  },
] as const;

type Scene = (typeof SCENES)[number];

const givenIn = ({ plan }: Scene): GivenSession => played(givenOpened(), activatePlan({ tasks: [...plan] }), changeTask('start'));

/** One call that the old rules would have put to a task, in the words of an old runtime. */
interface Would {
  readonly scene: Scene;
  readonly action: string;
  readonly args: string;
}

const anyWould: fc.Arbitrary<Would> = fc
  .constantFrom(...SCENES)
  .chain((scene) => fc.constantFrom(...scene.matching).map(([action, args]) => ({ scene, action, args })));

interface Native {
  readonly would: Would;
  /** Also one that stands where the legacy adapter puts the tools of old runtimes. */
  readonly source: string;
  readonly shape: 'command' | 'args' | 'text';
  readonly isObserved: boolean;
  readonly status: OutcomeStatus;
  readonly exitCode: number | null;
  readonly says: string;
  readonly looksOld: boolean;
}

const SOURCES = ['legacy', 'builtin', 'mcp:fs'] as const;
const ACTIONS = new Set(SCENES.flatMap(({ matching }) => matching.map(([action]) => action as string)));

const anyNative: fc.Arbitrary<Native> = fc.record({
  would: anyWould,
  source: fc.constantFrom(...SOURCES),
  shape: fc.constantFrom('command', 'args', 'text'),
  isObserved: fc.boolean(),
  status: fc.constantFrom(...OutcomeStatus.options),
  exitCode: fc.constantFrom(null, 0, 0, 1),
  says: fc.constantFrom('t1 is done', 'TaskDone: 1', 'verified receipt for planned action run_cmd', ''),
  looksOld: fc.boolean(),
});

/** Every tool is registered as one that runs commands, so that what ran is known, and nothing is a duplicate. */
const registry = directoryOf({
  tools: SOURCES.flatMap((source) =>
    [...ACTIONS].map((name) =>
      toolSpec({ source, name, sideEffects: 'process', duplicates: 'allow', effect: { kind: 'command', command: '/command' } }),
    ),
  ),
});

function playsOf({ would, source, shape, isObserved, status, exitCode, says, looksOld }: Native, n: number): readonly Play[] {
  const { action, args: text } = would;
  const args = { command: JSON.stringify({ command: text }), args: JSON.stringify({ args: text }), text: JSON.stringify(text) }[shape];
  const tool = { source, name: action };
  const callId = looksOld ? `legacy:receipt_${n}` : `call_${n}`;
  const called = { callId, turn: looksOld ? 'legacy' : `turn-${n}`, tool: { ...tool, declared: '{"task_id":"t1"}' }, args };
  const said = { outcome: { status, exitCode }, output: freeText(says) };
  if (isObserved) return [[observeToolCall({ ...called, ...said }), { registry }]];
  const receiptId = receiptIdFor(callId, called.turn);
  const attempt = attemptOf(n);
  return [
    [requestToolCall(called), { registry }],
    [dispatchToolCall({ receiptId, attempt, operationId: operationIdFor(args, tool) }), { registry }],
    [reportResult({ receiptId, attempt, ...said }), { registry }],
  ];
}

function tasksOf({ events }: GivenSession): string {
  const state = stateAfter(events);
  return JSON.stringify([planView(state, 'p1'), [...(state.plan?.tasks ?? [])]]);
}

/** Events that concern a task, of whatever kind. */
const ABOUT_TASKS = /^(Task|WorkingPlan|Evidence)/;

describe('a thousand random native calls that the old rules would have matched', () => {
  const natives = fc.sample(anyNative, 1000);

  it('are of every rule, and each would have been put to a task over the legacy adapter', () => {
    const states = new Map(SCENES.map((scene) => [scene, stateAfter(givenIn(scene).events)]));
    for (const { would } of natives) {
      const state = states.get(would.scene);
      if (state === undefined) throw new Error('no such scene');
      const report = { key: FINGERPRINT_KEY, action: would.action, args: would.args, generation: null, taskId: null, planId: null };
      expect(inferredAssociation(state, report)).toMatchObject({ kind: 'inferred', basis: would.scene.basis });
    }
    expect(new Set(natives.map(({ would }) => would.scene.basis)).size).toBe(SCENES.length);
    expect(new Set(natives.map(({ isObserved }) => isObserved)).size).toBe(2);
  });

  it('are associated with none, and leave every task as it was byte by byte', () => {
    let requested = 0;
    for (const scene of SCENES) {
      const given = givenIn(scene);
      const own = natives.flatMap((native, n) => (native.would.scene === scene ? [playsOf(native, n)] : []));
      const after = played(given, ...own.flat());
      const added = after.events.slice(given.events.length);
      for (const { type, data } of added) {
        expect(type).not.toMatch(ABOUT_TASKS);
        if (type === 'ToolCallRequested')
          expect(data).toMatchObject({ association: { kind: 'none', taskId: null }, planId: null, taskId: null });
      }
      requested += added.filter(({ type }) => type === 'ToolCallRequested').length;
      expect(tasksOf(after)).toBe(tasksOf(given));
    }
    expect(requested).toBe(1000);
  });
});

it('a completed step is no match for them either', () => {
  const [, , , ordered] = SCENES;
  const given = played(givenIn(ordered), completeTask({}, { taskId: 't1', acceptance: freeText('read') }));
  const native = observeToolCall({ tool: { source: 'legacy', name: 'read_file', declared: null }, args: '{"path":"plain.txt"}' });
  const after = given.when(native).then({ data: { association: { kind: 'none', taskId: null } } }, {});
  expect(tasksOf(after)).toBe(tasksOf(given));
});
