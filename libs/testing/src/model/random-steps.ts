import type { TaskChange } from '@counterfoil/session';
import type { Dice } from './dice.js';
import { NAMED_EVIDENCE, NAMINGS, SHOWN, type CallRef, type EvidenceSourceStep, type Reported, type Step } from './steps.js';
import {
  ARGUMENTS,
  CRITERIA,
  EXIT_CODES,
  FOUND,
  LARGE,
  OUTPUTS,
  PLAN_CONTENTS,
  PLANS,
  POLICIES,
  PRINCIPALS,
  ROLES,
  SPECS,
  STATUSES,
  TASKS,
  TOOLS,
  USERS,
} from './words.js';

type StepTo<T extends Step['do']> = Extract<Step, { readonly do: T }>;

export const anySession = (dice: Dice): number => dice.mostly(0, 1);
const anyCall = (dice: Dice): CallRef => ({ session: anySession(dice), nth: dice.chance(0.04) ? null : dice.below(6) });
const anyPrincipal = (dice: Dice): number => dice.below(PRINCIPALS.length);
export const anyTask = (dice: Dice): number => dice.mostly(0, 1, 2, TASKS.length - 1);
const anyAttempt = (dice: Dice): number => dice.of([0, 0, 0, 1, 2]);
const anyReason = (dice: Dice): number => dice.mostly(0, 1, 2);

/** A very large one is rare: it takes as long as hundreds of others. */
function anyArguments(dice: Dice): number {
  if (dice.chance(0.004)) return LARGE;
  return dice.mostly(0, ...[...ARGUMENTS.keys()].filter((index) => index !== LARGE));
}

export function anyReport(dice: Dice): Reported {
  return {
    status: dice.mostly(0, ...STATUSES.keys()),
    exitCode: dice.mostly(1, ...EXIT_CODES.keys()),
    signal: dice.chance(0.1),
    output: dice.mostly(0, OUTPUTS.length - 1),
    found: dice.mostly(null, ...FOUND),
    method: dice.mostly(0, 1),
  };
}

const asked = (dice: Dice) => ({
  session: anySession(dice),
  turn: dice.mostly(0, 1),
  id: dice.mostly<number | 'new'>('new', 1, 2, 3),
  by: anyPrincipal(dice),
  tool: dice.mostly(1, ...TOOLS.keys()),
  args: anyArguments(dice),
  spelling: dice.below(2),
  task: dice.chance(0.5) ? null : anyTask(dice),
});

function anySource(dice: Dice): EvidenceSourceStep {
  if (dice.chance(0.5)) {
    const call = anyCall(dice);
    return { kind: 'receipt', call: 'nth' in call && dice.chance(0.6) ? { ...call, ofItsTask: true } : call };
  }
  if (dice.chance(0.5))
    return { kind: 'observation', path: dice.mostly('a.txt', 'b.txt'), found: dice.mostly('alpha', ...FOUND), method: dice.mostly(0, 1) };
  return { kind: 'attestation', statement: anyReason(dice) };
}

const CHANGES: readonly TaskChange[] = [
  'start',
  'start',
  'start',
  'block',
  'unblock',
  'unblock',
  'fail',
  'cancel',
  'reopen',
  'reopen',
  'reopen',
];

type Makers = { readonly [K in Step['do']]: (dice: Dice) => StepTo<K> };

export const ANY: Makers = {
  open: (dice) => ({ do: 'open', session: dice.below(2), user: dice.below(USERS.length), agent: dice.mostly(true, false) }),
  close: (dice) => ({ do: 'close', session: anySession(dice) }),
  sweep: (dice) => ({ do: 'sweep', session: anySession(dice) }),
  request: (dice) => ({ do: 'request', ...asked(dice), approval: dice.of([null, null, null, 10, 60, 600]) }),
  observe: (dice) => ({ do: 'observe', ...asked(dice), reported: anyReport(dice) }),
  dispatch: (dice) => ({
    do: 'dispatch',
    call: anyCall(dice),
    attempt: anyAttempt(dice),
    naming: dice.mostly('its id', ...NAMINGS),
    before: dice.mostly(null, ...FOUND),
    lease: dice.of([10, 60, 60]),
  }),
  report: (dice) => ({ do: 'report', call: anyCall(dice), attempt: anyAttempt(dice), reported: anyReport(dice) }),
  cancel: (dice) => ({ do: 'cancel', call: anyCall(dice) }),
  heartbeat: (dice) => ({ do: 'heartbeat', call: anyCall(dice), attempt: anyAttempt(dice), lease: dice.of([null, 10, 60]) }),
  grant: (dice) => ({
    do: 'grant',
    call: anyCall(dice),
    by: anyPrincipal(dice),
    shown: dice.mostly('as it is', ...SHOWN),
    amended: dice.chance(0.6) ? null : anyArguments(dice),
  }),
  deny: (dice) => ({ do: 'deny', call: anyCall(dice), by: anyPrincipal(dice), shown: dice.of(['as it is', null, 'as another operation']) }),
  activate: (dice) => ({
    do: 'activate',
    session: anySession(dice),
    plan: dice.below(PLANS.length),
    content: dice.mostly(0, ...PLAN_CONTENTS.keys()),
    title: dice.mostly(true, false),
  }),
  'close plan': (dice) => ({
    do: 'close plan',
    session: anySession(dice),
    plan: dice.of<number | 'the active one'>([dice.below(PLANS.length), 'the active one']),
  }),
  'add task': (dice) => ({
    do: 'add task',
    session: anySession(dice),
    task: dice.mostly(3, ...TASKS.keys()),
    criteria: dice.below(CRITERIA.length),
  }),
  change: (dice) => ({ do: 'change', session: anySession(dice), task: anyTask(dice), change: dice.of(CHANGES), reason: anyReason(dice) }),
  complete: (dice) => ({
    do: 'complete',
    session: anySession(dice),
    task: anyTask(dice),
    met: dice.mostly('the newest of each', ...NAMED_EVIDENCE),
    acceptance: anyReason(dice),
  }),
  evidence: (dice) => ({
    do: 'evidence',
    session: anySession(dice),
    id: dice.mostly<number | 'new'>('new', 1, 2, 3),
    task: anyTask(dice),
    criterion: dice.of([null, null, 0, 0, 1, 2]),
    by: anyPrincipal(dice),
    roles: dice.below(ROLES.length),
    source: anySource(dice),
  }),
  register: (dice) => {
    const tool = dice.below(TOOLS.length);
    return { do: 'register', tool, spec: dice.below(SPECS[tool]?.length ?? 1) };
  },
  retire: (dice) => ({ do: 'retire', tool: dice.below(TOOLS.length) }),
  policy: (dice) => ({ do: 'policy', policy: dice.mostly(0, ...POLICIES.keys()) }),
  wait: (dice) => ({ do: 'wait', seconds: dice.of([1, 1, 5, 5, 10, 29, 30, 31, 60]) }),
  again: (dice) => ({ do: 'again', back: 1 + dice.below(12) }),
};

/** How often each step is taken by itself. */
export const WEIGHTS: Readonly<Record<Step['do'], number>> = {
  open: 1.5,
  close: 0.5,
  sweep: 4,
  request: 14,
  observe: 3,
  dispatch: 20,
  report: 14,
  cancel: 4,
  heartbeat: 10,
  grant: 8,
  deny: 4,
  activate: 2,
  'close plan': 0.5,
  'add task': 2,
  change: 9,
  complete: 5,
  evidence: 9,
  register: 2,
  retire: 0.5,
  policy: 1.5,
  wait: 5,
  again: 8,
};
