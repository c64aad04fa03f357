import { decidePurely } from '@counterfoil/testing';
import fc from 'fast-check';
import { decide } from './decide.js';
import { ARGUMENTS, describeStep, IDS, OUTPUTS, PRINCIPALS, SESSIONS, STATUSES, TOOLS, type Step } from './model/steps.js';
import { World } from './model/world.js';

const USUAL_RUNS = 300;
/** Raise it with COUNTERFOIL_MODEL_RUNS; the longest script has LONGEST lines. */
const RUNS = Number(process.env['COUNTERFOIL_MODEL_RUNS'] ?? USUAL_RUNS);
const LONGEST = 120;
/** Each decision of so many scripts is also shown to be pure: that costs more than all the rest. */
const PURE_RUNS = 30;

const below = (count: number): fc.Arbitrary<number> => fc.nat({ max: count - 1 });
/** The first ones most of the time, so that commands meet. */
const mostly = <T>(usual: T, ...others: T[]): fc.Arbitrary<T> =>
  fc.oneof({ weight: 3, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: fc.constantFrom(...others) });
const doing = <T extends Step['do']>(what: T) => fc.constant(what);

const session = mostly(0, 1);
const nth = fc.oneof({ weight: 19, arbitrary: below(8) }, { weight: 1, arbitrary: fc.constant(null) });
const call = fc.record({ session, nth });
const attempt = mostly(0, 0, 1, 2);
const by = below(PRINCIPALS.length);
const lease = fc.constantFrom(10, 60, 60);

const steps = {
  open: fc.record({ do: doing('open'), session: below(SESSIONS.length), user: mostly(0, 1), agent: mostly(true, false) }),
  close: fc.record({ do: doing('close'), session }),
  request: fc.record({
    do: doing('request'),
    session,
    turn: mostly(0, 1),
    id: below(IDS.length),
    by,
    tool: mostly(0, TOOLS.length - 1),
    args: mostly(0, ...ARGUMENTS.keys()),
    spelling: below(2),
    approval: fc.constantFrom(null, null, 10, 60, 600),
    task: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
  }),
  dispatch: fc.record({
    do: doing('dispatch'),
    call,
    attempt,
    naming: mostly(
      'its id',
      'its arguments',
      'its arguments respelled',
      'the id of another',
      'the arguments of another',
      'malformed arguments',
    ),
    lease,
  }),
  report: fc.record({ do: doing('report'), call, attempt, status: below(STATUSES.length), output: mostly(0, OUTPUTS.length - 1) }),
  cancel: fc.record({ do: doing('cancel'), call }),
  heartbeat: fc.record({ do: doing('heartbeat'), call, attempt, lease: fc.constantFrom(null, 10, 60) }),
  grant: fc.record({ do: doing('grant'), session, approval: nth, by, shown: mostly(true, false) }),
  deny: fc.record({ do: doing('deny'), session, approval: nth, by, shown: fc.constantFrom(true, null, false) }),
  sweep: fc.record({ do: doing('sweep'), session }),
  wait: fc.record({ do: doing('wait'), seconds: fc.constantFrom(1, 1, 5, 5, 10, 29, 30, 31, 60) }),
  again: fc.record({ do: doing('again'), back: fc.integer({ min: 1, max: 12 }) }),
} satisfies { [K in Step['do']]: fc.Arbitrary<Extract<Step, { do: K }>> };

const WEIGHTS: Readonly<Record<Step['do'], number>> = {
  open: 2,
  close: 1,
  request: 16,
  dispatch: 28,
  report: 16,
  cancel: 4,
  heartbeat: 14,
  grant: 14,
  deny: 6,
  sweep: 6,
  wait: 7,
  again: 8,
};
const step: fc.Arbitrary<Step> = fc.oneof(
  ...Object.entries(steps).map(([name, arbitrary]) => ({ weight: WEIGHTS[name as Step['do']], arbitrary })),
);

/** A script that prints as lines that a person can read, so that a failure can be played by hand. */
class Script {
  constructor(readonly steps: readonly Step[]) {}

  [fc.toStringMethod](): string {
    return `\n${this.steps.map((line, index) => `  ${index + 1}. ${describeStep(line)}`).join('\n')}\n`;
  }
}

const OPENING: readonly Step[] = [
  { do: 'open', session: 0, user: 0, agent: true },
  { do: 'open', session: 1, user: 1, agent: true },
];
const script = fc
  .tuple(
    mostly(OPENING, OPENING.slice(0, 1), []),
    fc.noBias(fc.array(step, { minLength: 1, maxLength: LONGEST - OPENING.length, size: 'max' })),
  )
  .map(([opening, lines]) => new Script([...opening, ...lines]));

/** Every answer that a command can get and every event: a generator that no longer reaches one of them proves less than it says. */
const TO_BE_MET: readonly string[] = [
  'OpenSession accepted, same, session_id_unavailable, session_conflict',
  'CloseSession accepted, same, not_found',
  'RequestToolCall accepted, same, not_found, call_conflict, session_closed',
  'DispatchToolCall accepted, same, not_found, operation_mismatch, approval_pending, already_dispatched, call_not_dispatchable',
  'ReportResult accepted, same, not_found, call_not_dispatched, attempt_mismatch, result_conflict',
  'CancelToolCall accepted, same, not_found, call_ended',
  'ExtendLease accepted, same, not_found, call_ended, call_not_dispatched, attempt_mismatch',
  'GrantApproval accepted, same, not_found, operation_mismatch, four_eyes, approval_expired, approval_decided, approval_voided',
  'DenyApproval accepted, same, not_found, operation_mismatch, approval_expired, approval_decided, approval_voided',
  'Sweep accepted, same',
].flatMap((line) => {
  const [command = '', ...answers] = line.replaceAll(',', '').split(' ');
  return answers.map((answer) => `${command} ${answer}`);
});
const EVENTS = [
  ...['SessionOpened', 'SessionClosed', 'ToolCallRequested', 'ToolCallRejected', 'ApprovalRequested', 'ApprovalGranted', 'ApprovalDenied'],
  ...['ApprovalExpired', 'ApprovalVoided', 'ToolDispatched', 'LeaseExtended', 'ToolExecuted', 'LateResultRecorded', 'CancelRequested'],
  ...['ToolCallCancelled', 'ToolOutcomeLost'],
];

describe('any script of commands', () => {
  it(`does to a session what it does to the reference (${RUNS} scripts)`, () => {
    const met = new Set<string>();
    fc.assert(
      fc.property(script, ({ steps: lines }) => {
        const world = new World(decide);
        world.play(lines);
        for (const what of world.met) met.add(what);
      }),
      { numRuns: RUNS },
    );
    // Fewer scripts than usual may well miss the rarest ones.
    if (RUNS >= USUAL_RUNS) expect([...TO_BE_MET, ...EVENTS].filter((what) => !met.has(what))).toEqual([]);
    expect([...met].filter((what) => !TO_BE_MET.includes(what) && !EVENTS.includes(what))).toEqual([]);
  }, 3_600_000);

  it(`changes nothing by deciding (${PURE_RUNS} scripts)`, () => {
    fc.assert(
      fc.property(script, ({ steps: lines }) => {
        new World(decidePurely).play(lines);
      }),
      { numRuns: PURE_RUNS },
    );
  }, 3_600_000);
});
