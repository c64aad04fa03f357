import type { Duplicates, OutcomeStatus, Policy, Role, SideEffectClass } from '@counterfoil/contracts';

// What random histories are made of. The lists are short, so that calls, operations, attempts, plans and tasks collide all the time.

export const SESSIONS = ['s1', 's2'] as const;
export const USERS = ['u1', 'u2'] as const;
export const PRINCIPALS = ['agent:a', 'agent:b', 'person:p', 'person:q'] as const;
export const ROLES: readonly (readonly Role[])[] = [['agent'], ['approver'], ['approver', 'admin'], ['auditor']];
export const TURNS = ['t1', 't2'] as const;
/** The last one is the second in capitals: the same attempt. */
export const ATTEMPTS = [
  '00000000-0000-4000-8000-00000000000a',
  '00000000-0000-4000-8000-00000000000b',
  '00000000-0000-4000-8000-00000000000B',
] as const;
export const STATUSES: readonly OutcomeStatus[] = ['succeeded', 'failed', 'timed_out', 'interrupted', 'cancelled'];
export const OUTPUTS = ['"done"', '"password=FAKE-hunter2-9xQ"'] as const;

export const TOOLS = [
  { source: 'mcp:files', name: 'write' },
  { source: 'builtin', name: 'run' },
  { source: 'mcp:files', name: 'read' },
  { source: 'mcp:web', name: 'write' },
] as const;
export const [WRITE, RUN, READ, POST] = [0, 1, 2, 3] as const;

/** A tool as it can be registered. What its effect needs stands in members of the arguments called path, content, command and cwd. */
export interface Spec {
  readonly version: string;
  readonly sideEffects: SideEffectClass;
  /** The class as it is given, where that is another generation's name of it. */
  readonly given?: string;
  readonly duplicates: Duplicates;
  /** It doesn't say so itself: its class does (promise 12). */
  readonly isByClass: boolean;
  readonly exitCodes: readonly number[] | null;
  readonly effect: 'file_write' | 'command' | 'command without cwd' | null;
  /** Its schema wants a `path`, and takes anything else. */
  readonly needsPath: boolean;
}

const writes: Spec = {
  version: '1',
  sideEffects: 'filesystem',
  duplicates: 'refuse_in_turn',
  isByClass: true,
  exitCodes: null,
  effect: 'file_write',
  needsPath: false,
};
const runs: Spec = { ...writes, sideEffects: 'process', duplicates: 'allow', effect: 'command' };

/** The specs under which each tool may be registered. */
export const SPECS: readonly (readonly Spec[])[] = [
  [
    writes,
    { ...writes, version: '2', duplicates: 'refuse_in_session', isByClass: false },
    { ...writes, duplicates: 'allow', isByClass: false, effect: null, needsPath: true },
    { ...writes, sideEffects: 'destructive', given: 'mutation', needsPath: true },
  ],
  [
    runs,
    { ...runs, exitCodes: [0, 2] },
    { ...runs, exitCodes: [1], effect: 'command without cwd' },
    { ...runs, version: '2', duplicates: 'refuse_in_session', isByClass: false },
  ],
  [
    { ...writes, sideEffects: 'read_only', duplicates: 'allow', effect: null },
    { ...runs, sideEffects: 'read_only', given: 'read' },
    { ...writes, sideEffects: 'internal', effect: null },
  ],
  [
    { ...writes, sideEffects: 'remote', effect: null },
    { ...runs, sideEffects: 'remote', given: 'external', isByClass: false },
  ],
];

export interface Arguments {
  /** Spellings of one value; of malformed arguments each is a request of its own. */
  readonly spellings: readonly [string, string];
  readonly value: Readonly<Record<string, unknown>>;
  readonly malformed?: string;
  /** Something in them is redacted, or they are too large to be shown: not stored whole either way. */
  readonly hides?: 'a secret' | 'too much';
}

const args = (value: Readonly<Record<string, unknown>>, more: Partial<Arguments> = {}): Arguments => {
  const turned = Object.fromEntries(Object.entries(value).reverse());
  return { spellings: [JSON.stringify(value), JSON.stringify(turned, null, 1).replaceAll('\n', ' ')], value, ...more };
};
const TEST = { command: 'npm test', cwd: '/w' };
const ALPHA = { path: 'a.txt', content: 'alpha' };

export const ARGUMENTS: readonly Arguments[] = [
  args({ ...TEST, ...ALPHA }),
  args({ ...TEST, ...ALPHA, content: 'beta', cwd: '/other' }),
  args({ ...TEST, ...ALPHA, command: 'npm test && true', path: 'b.txt' }),
  args({ ...ALPHA, command: ['npm', 'test'], cwd: '/w', content: 7 }),
  args({ ...ALPHA, command: 'npm test' }),
  args({ a: 1 }, { spellings: ['{"a":1,"b":"x"}', ' { "b" : "\\u0078", "a":1.0 }'] }),
  args({ a: '1', b: 'x' }),
  args({ ...TEST, ...ALPHA, password: 'FAKE-hunter2-9xQ' }, { hides: 'a secret' }),
  args({}, { spellings: ['{"a":1,"a":1}', '{"a":1, "a":1}'], malformed: 'arguments_duplicate_key' }),
  args({}, { spellings: ['{"a":', 'not JSON'], malformed: 'arguments_not_json' }),
  args({ ...TEST, ...ALPHA, more: 'x'.repeat(70_000) }, { hides: 'too much' }),
];
export const [LARGE, MALFORMED] = [10, 8] as const;

/** What a runner finds where a file should be: nothing, a content, or a file that it did not read. */
export const FOUND = ['nothing', 'alpha', 'beta', 'unread'] as const;
export type Found = (typeof FOUND)[number];
export const METHODS = ['content_digest', 'stat'] as const;
export const EXIT_CODES: readonly (number | null)[] = [null, 0, 1, 2];

export type PlannedCriterion =
  | {
      readonly id: string;
      readonly kind: 'command';
      readonly tool: number;
      readonly command: string | readonly string[];
      readonly cwd?: string;
    }
  | { readonly id: string; readonly kind: 'effect'; readonly path: string; readonly content: 'alpha' | 'beta' }
  | { readonly id: string; readonly kind: 'evidence' }
  | { readonly id: string; readonly kind: 'attestation'; readonly role: Role };

const tested: PlannedCriterion = { id: 'c1', kind: 'command', tool: RUN, command: 'npm test', cwd: '/w' };
const words = (id: string): PlannedCriterion => ({ id, kind: 'evidence' });

/** What a task may be accepted by. */
export const CRITERIA: readonly (readonly PlannedCriterion[])[] = [
  [tested],
  [{ id: 'c1', kind: 'effect', path: 'a.txt', content: 'alpha' }, words('c2')],
  [],
  [
    { id: 'c2', kind: 'attestation', role: 'approver' },
    { id: 'c1', kind: 'command', tool: RUN, command: ['npm', 'test'], cwd: '/w' },
  ],
  [{ id: 'c1', kind: 'command', tool: RUN, command: 'npm test' }],
  [words('c1'), words('c2')],
  [{ id: 'c1', kind: 'attestation', role: 'auditor' }],
];
export const CRITERION_IDS = ['c1', 'c2', 'c9'] as const;

export const TASKS = ['t1', 't2', 't3', 't4'] as const;
export const PLANS = ['p1', 'p2', 'p3', 'p4', 'p5', 'p6', 'p7', 'p8', 'p9'] as const;
/** What a plan may hold: tasks with their criteria, as indexes. */
export const PLAN_CONTENTS: readonly (readonly (readonly [number, number])[])[] = [
  [
    [0, 0],
    [1, 1],
    [2, 2],
  ],
  [
    [0, 0],
    [1, 5],
    [2, 3],
  ],
  [
    [0, 4],
    [1, 6],
    [3, 2],
  ],
  [],
];
export const REASONS: readonly (string | null)[] = [null, 'since it rains', 'password=FAKE-hunter2-9xQ'];

const rule = (
  id: string,
  then: 'refuse' | 'require_approval',
  match: Partial<Policy['rules'][number]['match']>,
  expiresSeconds?: number,
) => ({
  id,
  match: { source: '*', name: '*', ...match },
  then,
  ...(expiresSeconds === undefined ? {} : { expiresSeconds }),
});
const toApprove = rule('r1', 'require_approval', { source: 'mcp:*' }, 30);

export const POLICIES: readonly Policy[] = [
  { rules: [], unknownTools: 'allow' },
  { rules: [toApprove], unknownTools: 'allow' },
  { rules: [rule('r2', 'refuse', { name: 'r*', sideEffects: ['process', 'destructive'] })], unknownTools: 'allow' },
  { rules: [], unknownTools: 'require_approval' },
  { rules: [], unknownTools: 'refuse' },
  { rules: [toApprove, rule('r3', 'require_approval', { name: 'write' }, 10), rule('r4', 'require_approval', {})], unknownTools: 'allow' },
  { rules: [toApprove, rule('r5', 'refuse', { source: '*:web' })], unknownTools: 'require_approval' },
];
