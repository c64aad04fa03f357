import type { OutcomeStatus } from '@counterfoil/contracts';

// What random scripts are made of. The lists are short, so that calls, operations and attempts collide all the time.

export const SESSIONS = ['s1', 's2'] as const;
export const USERS = ['u1', 'u2'] as const;
export const PRINCIPALS = ['agent:a', 'agent:b', 'person:p', 'person:q'] as const;
export const TURNS = ['t1', 't2'] as const;
export const IDS = ['c1', 'c2', 'c3', 'c4'] as const;
export const TOOLS = ['mcp:x', 'mcp:y'] as const;
/** The last one is the second in capitals: the same attempt. */
export const ATTEMPTS = [
  '00000000-0000-4000-8000-00000000000a',
  '00000000-0000-4000-8000-00000000000b',
  '00000000-0000-4000-8000-00000000000B',
] as const;
export const STATUSES: readonly OutcomeStatus[] = ['succeeded', 'failed', 'timed_out', 'interrupted', 'cancelled'];
export const OUTPUTS = ['"done"', '"password=FAKE-hunter2-9xQ"'] as const;

export interface Arguments {
  /** Spellings of one value; of malformed arguments each is a request of its own. */
  readonly spellings: readonly [string, string];
  readonly malformed: string | null;
}

export const ARGUMENTS: readonly Arguments[] = [
  { spellings: ['{"a":1,"b":"x"}', ' { "b" : "\\u0078", "a":1.0 }'], malformed: null },
  { spellings: ['{"a":"1","b":"x"}', '{"b":"x","a":"1"}'], malformed: null },
  { spellings: ['{"a":true,"password":"FAKE-hunter2-9xQ"}', '{"password":"FAKE-hunter2-9xQ","a":true}'], malformed: null },
  { spellings: ['{"a":1,"a":1}', '{"a":1, "a":1}'], malformed: 'arguments_duplicate_key' },
  { spellings: ['{"a":', 'not JSON'], malformed: 'arguments_not_json' },
];

/** A call that was requested: the n-th of its session, counted round and round; null for one that nobody requested. */
export interface CallRef {
  readonly session: number;
  readonly nth: number | null;
}

/** How a dispatch names what is to run, seen from what was requested. */
export type Naming =
  'its id' | 'its arguments' | 'its arguments respelled' | 'the id of another' | 'the arguments of another' | 'malformed arguments';

/** Who takes the step, where it says so: an index into PRINCIPALS. Other numbers are indexes into the lists above, or seconds. */
export type Step =
  | { readonly do: 'open'; readonly session: number; readonly user: number; readonly agent: boolean }
  | { readonly do: 'close'; readonly session: number }
  | {
      readonly do: 'request';
      readonly session: number;
      readonly turn: number;
      readonly id: number;
      readonly by: number;
      readonly tool: number;
      readonly args: number;
      readonly spelling: number;
      /** Seconds until the approval expires; null for none. */
      readonly approval: number | null;
      readonly task: boolean;
    }
  | { readonly do: 'dispatch'; readonly call: CallRef; readonly attempt: number; readonly naming: Naming; readonly lease: number }
  | { readonly do: 'report'; readonly call: CallRef; readonly attempt: number; readonly status: number; readonly output: number }
  | { readonly do: 'cancel'; readonly call: CallRef }
  | { readonly do: 'heartbeat'; readonly call: CallRef; readonly attempt: number; readonly lease: number | null }
  /** The n-th approval of the session, counted round and round; null for one that there isn't. */
  | { readonly do: 'grant'; readonly session: number; readonly approval: number | null; readonly by: number; readonly shown: boolean }
  | { readonly do: 'deny'; readonly session: number; readonly approval: number | null; readonly by: number; readonly shown: boolean | null }
  | { readonly do: 'sweep'; readonly session: number }
  | { readonly do: 'wait'; readonly seconds: number }
  /** The command of so many commands ago once more, now. */
  | { readonly do: 'again'; readonly back: number };

const nth = (what: string, n: number | null, session: number): string => `${what} ${n ?? 'of nobody'} of ${SESSIONS[session] ?? '?'}`;
const call = ({ session, nth: n }: CallRef): string => nth('call', n, session);
const who = (by: number): string => PRINCIPALS[by] ?? '?';
const shown = (operation: boolean | null): string => (operation === null ? 'unnamed' : operation ? 'as shown' : 'naming another operation');

/** One line of a script as a person reads it. */
export function describeStep(step: Step): string {
  switch (step.do) {
    case 'open':
      return `open ${SESSIONS[step.session] ?? '?'} for ${USERS[step.user] ?? '?'}${step.agent ? ' with an agent' : ''}`;
    case 'close':
    case 'sweep':
      return `${step.do} ${SESSIONS[step.session] ?? '?'}`;
    case 'request': {
      const approval = step.approval === null ? '' : `, approval within ${step.approval} s`;
      const args = ARGUMENTS[step.args]?.spellings[step.spelling] ?? '?';
      const place = `${SESSIONS[step.session] ?? '?'}/${TURNS[step.turn] ?? '?'}/${IDS[step.id] ?? '?'}`;
      return `${who(step.by)} requests ${place}: ${TOOLS[step.tool] ?? '?'} ${args}${approval}${step.task ? ', for a task' : ''}`;
    }
    case 'dispatch':
      return `dispatch ${call(step.call)} by ${step.naming}, attempt ${step.attempt}, lease ${step.lease} s`;
    case 'report':
      return `report ${call(step.call)} ${STATUSES[step.status] ?? '?'} ${OUTPUTS[step.output] ?? '?'}, attempt ${step.attempt}`;
    case 'cancel':
      return `cancel ${call(step.call)}`;
    case 'heartbeat':
      return `heartbeat of ${call(step.call)}, attempt ${step.attempt}, lease ${step.lease ?? 'the same'}`;
    case 'grant':
    case 'deny':
      return `${who(step.by)} ${step.do === 'grant' ? 'grants' : 'denies'} ${nth('approval', step.approval, step.session)} ${shown(step.shown)}`;
    case 'wait':
      return `wait ${step.seconds} s`;
    case 'again':
      return `the command of ${step.back} before again`;
  }
}
