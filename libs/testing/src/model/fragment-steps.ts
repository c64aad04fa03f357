import type { Dice } from './dice.js';
import { anyTask } from './random-steps.js';
import type { CallRef, Reported, Step } from './steps.js';
import { POST, READ, RUN, WRITE, type Found } from './words.js';

// The steps of fragments: each is about the newest call of its session.

export const newestOf = (session: number): CallRef => ({ session, nth: 0 });

export const SUCCESS: Reported = { status: 0, exitCode: 1, signal: false, output: 0, found: null, method: 0 };

interface Asking {
  readonly session: number;
  readonly tool: number;
  readonly args?: number;
  readonly task?: number | null;
  readonly approval?: number | null;
  readonly turn?: number;
}

export const request = ({ session, tool, args = 0, task = null, approval = null, turn = 0 }: Asking): Step => ({
  do: 'request',
  ...{ session, turn, tool, args, task, approval },
  id: 'new',
  by: 0,
  spelling: 0,
});
export const dispatch = (session: number, before: Found | null = null): Step => ({
  do: 'dispatch',
  call: newestOf(session),
  attempt: 0,
  naming: 'its id',
  before,
  lease: 60,
});
export const report = (session: number, reported: Reported = SUCCESS): Step => ({
  do: 'report',
  call: newestOf(session),
  attempt: 0,
  reported,
});
export const grant = (session: number, amended: number | null = null): Step => ({
  do: 'grant',
  call: newestOf(session),
  by: 2,
  shown: 'as it is',
  amended,
});
export const change = (session: number, task: number, what: Extract<Step, { do: 'change' }>['change']): Step => ({
  do: 'change',
  ...{ session, task, change: what },
  reason: 0,
});
type EvidenceStep = Extract<Step, { do: 'evidence' }>;
export const evidence = (session: number, task: number, source: EvidenceStep['source'], more: Partial<EvidenceStep> = {}): Step => ({
  do: 'evidence',
  ...{ session, task, source },
  id: 'new',
  criterion: null,
  by: 2,
  roles: 1,
  ...more,
});
export const byReceipt = (session: number): EvidenceStep['source'] => ({ kind: 'receipt', call: { session, nth: 0, ofItsTask: true } });
export const complete = (session: number, task: number, acceptance = 0): Step => ({
  do: 'complete',
  ...{ session, task, acceptance },
  met: 'the newest of each',
});
export const activate = (dice: Dice, session: number, content: number): Step => ({
  do: 'activate',
  session,
  plan: dice.mostly<number | 'new'>('new', 0, 1, 2),
  content,
  title: true,
});

export type Fragment = (dice: Dice, session: number) => readonly Step[];

export const run = (session: number, task: number | null, reported = SUCCESS, args = 0, tool: number = RUN): Step[] => [
  request({ session, tool, args, task }),
  dispatch(session),
  report(session, reported),
];

/** What may happen between a proof and the completion that rests on it. */
export function between(dice: Dice, session: number, task: number): Step[] {
  switch (dice.below(8)) {
    case 0:
      return [request({ session, tool: POST, args: 5 + dice.below(2) }), dispatch(session)];
    case 1:
      return [request({ session, tool: dice.of([WRITE, POST]), args: dice.below(3), task }), dispatch(session)];
    case 2:
      return [request({ session, tool: READ, task: dice.of([task, null]) }), dispatch(session)];
    case 3:
      return [request({ session, tool: RUN, task: dice.of([task, 2]) }), dispatch(session)];
    case 4:
      return [change(session, task, dice.of(['fail', 'cancel'])), change(session, task, 'reopen'), change(session, task, 'start')];
    default:
      return [];
  }
}

/** What may happen while a call waits for its approval. */
export function whileWaiting(dice: Dice, session: number): Step {
  switch (dice.below(7)) {
    case 0:
      return activate(dice, session, dice.below(2));
    case 1:
      return change(session, anyTask(dice), dice.of(['cancel', 'block']));
    case 2:
      return { do: 'register', tool: dice.below(3), spec: dice.below(3) };
    case 3:
      return { do: 'retire', tool: RUN };
    case 4:
      return { do: 'policy', policy: dice.below(7) };
    case 5:
      return { do: 'wait', seconds: dice.of([9, 10, 11, 60]) };
    default:
      return { do: 'close plan', session, plan: 'the active one' };
  }
}

export const write: Fragment = (dice, session) => [
  request({ session, tool: WRITE, args: dice.mostly(0, 1, 2), task: dice.mostly<number | null>(1, 0, null), turn: dice.below(2) }),
  dispatch(session, dice.of([null, 'nothing', 'alpha', 'beta', 'unread'])),
  report(session, {
    ...SUCCESS,
    found: dice.mostly<Found | null>('alpha', 'beta', 'nothing', 'unread', null),
    method: dice.mostly(0, 1),
  }),
];
