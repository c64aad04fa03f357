import { admitArguments } from '@counterfoil/canonical';
import { DomainError, OutcomeStatus } from '@counterfoil/contracts';
import { decide, evolve, initialState, type SessionCommand, type SessionState } from '@counterfoil/session';
import fc from 'fast-check';
import { directoryOf, runSpec } from './directory.js';
import { STREAM } from './events.js';
import { testLog, type TestLog } from './log.js';
import * as plan from './plan-commands.js';
import * as say from './session-commands.js';
import { after, APPROVER, decisionContext, REQUESTER } from './session-deciding.js';
import { attemptOf } from './values.js';

const CALLS = ['a', 'c', 'd'];
/** Runs of the command by which the task t1 is accepted. */
const RUNS = ['run1', 'run2'];
const TASKS = ['t1', 't2', 't3'];
const PLANS = ['p1', 'p2'];
const EDITED = '{"path":"edited"}';
const REGISTRY = directoryOf({ tools: [runSpec()] });

/** Each call has an operation of its own, but for the last two, which repeat each other. */
const argsOf = (call: string): string => JSON.stringify({ path: call === 'd' ? 'c' : call });
const receiptId = (call: string): string => say.receiptIdFor(call);
const operationId = (call: string): string => say.operationIdFor(argsOf(call));

const request = (callId: string, requireApproval: boolean, taskId: string | null = null): SessionCommand =>
  say.requestToolCall({ callId, args: argsOf(callId), approvalExpiresSeconds: 60, requireApproval, taskId });
const dispatch = (call: string, operation = operationId(call)): SessionCommand =>
  say.dispatchToolCall({ receiptId: receiptId(call), operationId: operation, leaseSeconds: 30 });
const report = (call: string, outcome: Partial<{ status: OutcomeStatus; exitCode: number }>): SessionCommand =>
  say.reportResult({ receiptId: receiptId(call), attempt: attemptOf(1), outcome: { status: 'succeeded', ...outcome } });

const command = plan.runArguments('npm test');
const run = (callId: string, exitCode: number): readonly SessionCommand[] => [
  say.requestToolCall({ callId, args: command, tool: { ...plan.RUN, declared: null }, taskId: 't1' }),
  dispatch(callId, say.operationIdFor(command, plan.RUN)),
  report(callId, { exitCode }),
];
const proof = (evidenceId: string, call: string): SessionCommand =>
  plan.recordEvidence({ evidenceId, source: { kind: 'receipt', receiptId: receiptId(call) } });
const attested = (evidenceId: string, taskId: string): SessionCommand =>
  plan.recordEvidence({ evidenceId, taskId, source: { kind: 'attestation', statement: null } });
const activate = (planId: string): SessionCommand => plan.activatePlan({ planId, tasks: [plan.taskPlan('t1'), plan.taskPlan('t2', [])] });

const anyCall = fc.constantFrom(...CALLS);
const anyTask = fc.constantFrom(...TASKS);
const anyEvidence = fc.constantFrom('e1', 'e2', 'e3');
const anyApproval = fc.nat({ max: 1 }).map((n) => say.approvalIdFor(n));
const anyGrant = fc
  .tuple(anyApproval, anyCall, fc.boolean())
  .map(([approvalId, call, edits]) =>
    say.grantApproval({ approvalId, operationId: operationId(call), amended: edits ? admitArguments(EDITED) : null }),
  );
const anyReport = fc.tuple(anyCall, fc.constantFrom(...OutcomeStatus.options)).map(([call, status]) => report(call, { status }));
const anyChange = fc
  .tuple(anyTask, fc.constantFrom('start', 'start', 'block', 'unblock', 'fail', 'cancel', 'reopen', 'reopen'))
  .map(([taskId, change]) => plan.changeTask(change, taskId));

type Commands = readonly SessionCommand[];
type Weighted = { readonly weight: number; readonly arbitrary: fc.Arbitrary<Commands> };

/** One command, or some that often follow on each other; each may find that it comes too late, or too early. */
const OF_CALLS: readonly Weighted[] = [
  { weight: 4, arbitrary: fc.tuple(anyCall, fc.boolean()).map(([call, approval]) => [request(call, approval)]) },
  { weight: 4, arbitrary: anyCall.map((call) => [request(call, false), dispatch(call)]) },
  { weight: 3, arbitrary: fc.tuple(anyCall, anyGrant).map(([call, grant]) => [request(call, true), grant]) },
  { weight: 3, arbitrary: fc.tuple(anyCall, anyTask).map(([call, task]) => [request(call, false, task), dispatch(call)]) },
  { weight: 1, arbitrary: fc.constant([say.requestToolCall({ callId: 'bad', args: '{"a":1,"a":2}' })]) },
  { weight: 4, arbitrary: anyCall.map((call) => [dispatch(call)]) },
  { weight: 2, arbitrary: anyCall.map((call) => [dispatch(call, say.operationIdFor(EDITED))]) },
  { weight: 6, arbitrary: anyReport.map((one) => [one]) },
  { weight: 5, arbitrary: anyCall.map((call) => [say.extendLease({ receiptId: receiptId(call) })]) },
  { weight: 1, arbitrary: anyCall.map((call) => [say.cancelToolCall({ receiptId: receiptId(call) })]) },
  {
    weight: 2,
    arbitrary: anyCall.map((call) => [request(call, false), dispatch(call), say.cancelToolCall({ receiptId: receiptId(call) })]),
  },
  { weight: 4, arbitrary: anyGrant.map((grant) => [grant]) },
  { weight: 3, arbitrary: anyApproval.map((approvalId) => [say.denyApproval({ approvalId })]) },
  { weight: 2, arbitrary: fc.constant([say.sweep()]) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom('seen1', 'seen2'), fc.constantFrom(null, ...TASKS), fc.constantFrom(...OutcomeStatus.options))
      .map(([callId, taskId, status]) => [plan.observeToolCall({ callId, taskId, outcome: { status } })]),
  },
];

const OF_PLANS: readonly Weighted[] = [
  { weight: 4, arbitrary: fc.constantFrom(...PLANS).map((planId) => [activate(planId)]) },
  { weight: 1, arbitrary: fc.constantFrom(...PLANS).map((planId) => [plan.closePlan({ planId })]) },
  { weight: 2, arbitrary: fc.constant([plan.addTask(plan.taskPlan('t3'))]) },
  { weight: 8, arbitrary: anyChange.map((change) => [change]) },
  { weight: 2, arbitrary: anyTask.map((taskId) => [plan.changeTask('block', taskId), plan.changeTask('unblock', taskId)]) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom(...RUNS), fc.constantFrom(0, 0, 1), anyEvidence)
      .map(([call, exitCode, evidenceId]) => [plan.changeTask('start'), ...run(call, exitCode), proof(evidenceId, call)]),
  },
  { weight: 3, arbitrary: anyEvidence.map((evidenceId) => [plan.completeTask({ c1: evidenceId })]) },
  {
    weight: 2,
    arbitrary: fc.constant([plan.changeTask('start', 't2'), plan.completeTask({}, { taskId: 't2', acceptance: say.freeText('seen') })]),
  },
  { weight: 2, arbitrary: fc.tuple(anyEvidence, anyTask).map(([evidenceId, task]) => [attested(evidenceId, task)]) },
];

/** Commands, and how many seconds before the first of them went by. */
export type Step = readonly [Commands, number];

const anyCommands = fc.oneof(...OF_CALLS, ...OF_PLANS);
const waits = fc.constantFrom(0, 0, 0, 0, 1, 18, 20, 35, 70);

/** What may be said to a session, most of it to one that is open. */
export const anySteps: fc.Arbitrary<readonly Step[]> = fc
  .record({
    begin: fc.constantFrom<Commands>([], [activate('p1')]),
    steps: fc.array(fc.tuple(anyCommands, waits), { minLength: 5, maxLength: 24, size: 'max' }),
    end: fc.constantFrom<Commands>([], [say.closeSession()], [say.closeSession(), say.sweep()]),
    more: fc.array(fc.tuple(anyCommands, waits), { maxLength: 3 }),
  })
  .map(({ begin, steps, end, more }): readonly Step[] => [[begin, 0], ...steps, [end, 0], ...more]);

const BY_A_PERSON: readonly SessionCommand['type'][] = ['GrantApproval', 'DenyApproval', 'RecordEvidence'];

/** What the commands lead to; those that are refused record nothing. */
export function playSteps(steps: readonly Step[]): { readonly log: TestLog; readonly state: SessionState } {
  const log = testLog();
  const state = initialState();
  let seconds = 0;
  const decideOn = (said: SessionCommand): void => {
    const principal = BY_A_PERSON.includes(said.type) ? APPROVER : REQUESTER;
    for (const event of decide(state, said, decisionContext({ ...after(seconds), principal, registry: REGISTRY }))) {
      log.appendParts(STREAM, [event], { principal });
      evolve(state, { ...event, principal, revision: state.revision + 1 });
    }
  };
  decideOn(say.openSession());
  for (const [commands, wait] of steps) {
    seconds += wait;
    for (const said of commands) {
      try {
        decideOn(said);
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
      }
    }
  }
  return { log, state };
}
