import type { Dice } from './dice.js';
import {
  newestOf,
  SUCCESS,
  request,
  dispatch,
  report,
  grant,
  change,
  evidence,
  byReceipt,
  complete,
  activate,
  run,
  between,
  whileWaiting,
  write,
  type Fragment,
} from './fragment-steps.js';
import { ANY, anyReport, anySession, anyTask } from './random-steps.js';
import type { Step } from './steps.js';
import { LARGE, POST, READ, RUN, WRITE, type Found } from './words.js';

// What often follows on each other. Each of the steps may find that it comes too late, or that something else came between.

export const FRAGMENTS = {
  begin: (dice, session) => [activate(dice, session, dice.mostly(0, 1, 2)), change(session, 0, 'start'), change(session, 1, 'start')],
  run: (dice, session) => {
    const reported = dice.mostly(SUCCESS, anyReport(dice));
    return run(session, dice.mostly<number | null>(0, null, 1), reported, dice.mostly(0, 1, 2, 3, 4), dice.mostly(RUN, READ));
  },
  prove: (dice, session) => [
    change(session, 0, 'start'),
    ...run(session, 0, dice.mostly(SUCCESS, { ...SUCCESS, exitCode: 3 }, { ...SUCCESS, exitCode: 2, status: 1 }), dice.mostly(0, 4)),
    evidence(session, 0, byReceipt(session), { criterion: dice.of([null, 0]) }),
    ...between(dice, session, 0),
    complete(session, 0),
  ],
  accept: (dice, session) => [change(session, 2, 'start'), complete(session, 2, dice.mostly(1, 0))],
  write,
  effect: (dice, session) => {
    const seen = {
      kind: 'observation',
      path: dice.mostly('a.txt', 'b.txt'),
      found: dice.of(['alpha', 'beta'] as const),
      method: 0,
    } as const;
    return [
      change(session, 1, 'start'),
      ...write(dice, session),
      evidence(session, 1, dice.mostly(byReceipt(session), seen), { criterion: dice.mostly<number | null>(0, null) }),
      evidence(session, 1, { kind: 'attestation', statement: 1 }, { criterion: dice.mostly(1, 0) }),
      ...between(dice, session, 1),
      complete(session, 1),
    ];
  },
  'mix up': (dice, session) => [
    change(session, 0, 'start'),
    change(session, 1, 'start'),
    evidence(session, dice.below(2), { kind: 'observation', path: 'a.txt', found: 'alpha', method: 0 }),
    {
      do: 'complete',
      ...{ session, task: dice.below(2), acceptance: 0 },
      met: dice.of(['the oldest of any task', 'one for all', 'one for a criterion that is not there']),
    },
  ],
  swap: (dice, session) => [
    { do: 'close plan', session, plan: 'the active one' },
    activate(dice, session, 1),
    change(session, 1, 'start'),
    evidence(session, 1, { kind: 'attestation', statement: 0 }, { criterion: 0 }),
    evidence(session, 1, { kind: 'observation', path: 'b.txt', found: 'nothing', method: 1 }, { criterion: 1 }),
    { do: 'complete', ...{ session, task: 1, acceptance: 0 }, met: 'those of each other' },
    complete(session, 1),
  ],
  'prove twice': (dice, session) => [
    { do: 'close plan', session, plan: 'the active one' },
    activate(dice, session, 1),
    change(session, 1, 'start'),
    ...run(session, 1),
    evidence(session, 1, byReceipt(session), { criterion: 0 }),
    ...(dice.chance(0.5) ? run(session, 1, SUCCESS, dice.below(3)) : []),
    evidence(session, 1, byReceipt(session), { criterion: 1 }),
    complete(session, 1),
  ],
  end: (dice, session) => [
    { do: 'close', session },
    dice.of<Step>([
      { do: 'close plan', session, plan: 'the active one' },
      { do: 'add task', session, task: 3, criteria: 0 },
      { do: 'close', session },
      { do: 'sweep', session },
    ]),
  ],
  see: (dice, session) => [
    { ...ANY.observe(dice), session, task: dice.mostly<number | null>(0, null) },
    evidence(session, 0, dice.mostly(byReceipt(session), { kind: 'receipt', call: newestOf(session) })),
    complete(session, 0),
  ],
  'close twice': (dice, session) => {
    const close: Step = { do: 'close plan', session, plan: dice.mostly<number | 'the active one'>('the active one', 0, 1, 2) };
    return [close, ...(dice.chance(0.5) ? [change(session, 0, 'start')] : []), { do: 'again', back: 1 }, activate(dice, session, 0)];
  },
  attest: (dice, session) => {
    const task = dice.of([1, 2, 3]);
    const attested = evidence(
      session,
      task,
      { kind: 'attestation', statement: 0 },
      { roles: dice.below(4), criterion: dice.of([null, 0, 1]) },
    );
    return [
      { do: 'add task', session, task: 3, criteria: dice.mostly(6, 3) },
      change(session, task, 'start'),
      attested,
      ...(dice.chance(0.5) ? run(session, task, SUCCESS, 3) : []),
      evidence(session, task, byReceipt(session)),
      complete(session, task),
    ];
  },
  approve: (dice, session) => [
    request({ session, tool: dice.of([WRITE, RUN]), task: dice.of([null, 0]), approval: dice.of([10, 60]) }),
    grant(session),
    ...(dice.chance(0.6) ? [whileWaiting(dice, session)] : []),
    dispatch(session),
  ],
  amend: (dice, session) => [
    request({ session, tool: dice.of([WRITE, RUN, RUN]), task: dice.of([null, 0]), args: dice.mostly(0, 1, 2), approval: 60 }),
    ...(dice.chance(0.2) ? [whileWaiting(dice, session)] : []),
    grant(session, dice.of([0, 1, 2, 4, 5])),
    ...(dice.chance(0.2) ? [{ do: 'register', tool: RUN, spec: 0 } as const] : []),
    {
      do: 'dispatch',
      call: newestOf(session),
      attempt: 0,
      naming: dice.mostly('its id', 'its arguments', 'the id of what was requested'),
      before: dice.of<Found | null>([null, 'alpha', 'beta']),
      lease: 60,
    },
    report(session, { ...SUCCESS, found: dice.of<Found | null>([null, 'alpha', 'beta']) }),
    { do: 'grant', call: newestOf(session), by: 2, shown: dice.of(['as it is', 'as it was requested']), amended: dice.of([null, 0, 1, 2]) },
  ],
  repeat: (dice, session) => {
    const asking = { session, tool: dice.of([WRITE, RUN, POST]), args: dice.below(3), task: dice.mostly<number | null>(null, 0) };
    return [
      request(asking),
      dispatch(session),
      ...(dice.chance(0.7) ? [report(session)] : []),
      request({ ...asking, turn: dice.below(2) }),
      dispatch(session),
    ];
  },
  lose: (dice, session) => [
    ...run(session, dice.of([null, 0])).slice(0, 2),
    { do: 'wait', seconds: dice.of([59, 60, 61]) },
    { do: 'sweep', session },
    report(session),
    evidence(session, 0, byReceipt(session)),
  ],
  extend: (dice, session) => [
    ...run(session, null).slice(0, 2),
    { do: 'wait', seconds: dice.of([29, 30, 45]) },
    { do: 'heartbeat', call: newestOf(session), attempt: 0, lease: dice.of([null, 60]) },
  ],
  block: (dice, session) => {
    const task = anyTask(dice);
    return [change(session, task, 'block'), request({ session, tool: RUN, task }), change(session, task, 'unblock')];
  },
  tighten: (dice, session) => [
    request({ session, tool: dice.of([WRITE, RUN, POST]), args: dice.below(3), approval: dice.mostly<number | null>(null, 60) }),
    { do: 'policy', policy: 1 + dice.below(6) },
    grant(session),
    dispatch(session),
    { do: 'policy', policy: 0 },
  ],
  'turn down': (dice, session) => {
    const deny = (by: number): Step => ({ do: 'deny', call: newestOf(session), by, shown: dice.of([null, 'as it is']) });
    const asked = request({ session, tool: WRITE, approval: dice.of([10, 60]), task: dice.of([null, 0]) });
    return [
      asked,
      ...(dice.chance(0.4) ? [whileWaiting(dice, session), dispatch(session)] : []),
      deny(2),
      deny(dice.mostly(2, 3)),
      grant(session),
    ];
  },
  validate: (dice, session) => [
    { do: 'register', tool: WRITE, spec: dice.of([2, 3]) },
    request({ session, tool: WRITE, args: dice.mostly(5, 0), approval: dice.of([null, 60]) }),
    grant(session, dice.of([null, 1, 5])),
    dispatch(session),
  ],
  'show too much': (_, session) => [request({ session, tool: WRITE, args: LARGE, approval: 60 })],
  'amend what hides': (dice, session) => [
    request({ session, tool: RUN, args: dice.of([0, 7]), approval: 60 }),
    grant(session, dice.of([0, 7, 7])),
  ],
  'give up': (dice, session) => [
    request({ session, tool: RUN, approval: dice.of([null, 60]) }),
    { do: 'cancel', call: newestOf(session) },
    report(session),
  ],
} satisfies Record<string, Fragment>;

export type FragmentName = keyof typeof FRAGMENTS;

/** How often each of them comes, beside the weights of single steps. */
export const FRAGMENT_WEIGHTS: Readonly<Record<FragmentName, number>> = {
  begin: 2,
  run: 3,
  prove: 4,
  accept: 1.5,
  write: 2,
  effect: 2.5,
  attest: 1.5,
  'mix up': 1.2,
  see: 1,
  'close twice': 0.2,
  swap: 0.3,
  'prove twice': 0.4,
  end: 0.15,
  approve: 3,
  amend: 3,
  repeat: 2,
  lose: 1,
  extend: 1,
  block: 1,
  tighten: 1,
  'turn down': 1,
  validate: 1,
  'show too much': 0.1,
  'amend what hides': 0.4,
  'give up': 1,
};

export const fragmentOf = (dice: Dice, name: FragmentName): readonly Step[] => FRAGMENTS[name](dice, anySession(dice));
