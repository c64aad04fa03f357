import { CallView, DomainError, OutcomeStatus, SESSION_EVENTS, type ReceiptDocument } from '@counterfoil/contracts';
import { approvalsProjection, receiptsProjection, sessionsProjection } from '@counterfoil/read-models';
import { callView, decide, evolve, initialState, isEnded, isUndispatched, type SessionCommand } from '@counterfoil/session';
import fc from 'fast-check';
import { STREAM } from './events.js';
import { testLog } from './log.js';
import { projecting } from './projecting.js';
import * as say from './session-commands.js';
import { after, APPROVER, REQUESTER } from './session-deciding.js';
import { attemptOf } from './values.js';

const CALLS = ['a', 'c', 'd'];
/** Each call has an operation of its own, but for the last two, which repeat each other. */
const argsOf = (call: string): string => JSON.stringify({ path: call === 'd' ? 'c' : call });
const receiptId = (call: string): string => say.receiptIdFor(call);
const operationId = (call: string): string => say.operationIdFor(argsOf(call));

const request = (callId: string, requireApproval: boolean, taskId: string | null = null): SessionCommand =>
  say.requestToolCall({ callId, args: argsOf(callId), approvalExpiresSeconds: 60, requireApproval, taskId });
const dispatch = (call: string): SessionCommand =>
  say.dispatchToolCall({ receiptId: receiptId(call), operationId: operationId(call), leaseSeconds: 30 });

const anyCall = fc.constantFrom(...CALLS);
const anyApproval = fc.nat({ max: 1 }).map((n) => say.approvalIdFor(n));
const anyReport = fc
  .record({ call: anyCall, status: fc.constantFrom(...OutcomeStatus.options) })
  .map(({ call, status }) => say.reportResult({ receiptId: receiptId(call), attempt: attemptOf(1), outcome: { status } }));
const anyGrant = fc
  .tuple(anyApproval, anyCall)
  .map(([approvalId, call]) => say.grantApproval({ approvalId, operationId: operationId(call) }));

/** One command, or some that often follow on each other; each may find that it comes too late, or too early. */
const anyCommands: fc.Arbitrary<readonly SessionCommand[]> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(anyCall, fc.boolean()).map(([call, approval]) => [request(call, approval)]) },
  { weight: 4, arbitrary: anyCall.map((call) => [request(call, false), dispatch(call)]) },
  { weight: 3, arbitrary: fc.tuple(anyCall, anyGrant).map(([call, grant]) => [request(call, true), grant]) },
  { weight: 1, arbitrary: anyCall.map((call) => [request(call, false, 't1')]) },
  { weight: 1, arbitrary: fc.constant([say.requestToolCall({ callId: 'bad', args: '{"a":1,"a":2}' })]) },
  { weight: 4, arbitrary: anyCall.map((call) => [dispatch(call)]) },
  { weight: 6, arbitrary: anyReport.map((report) => [report]) },
  { weight: 5, arbitrary: anyCall.map((call) => [say.extendLease({ receiptId: receiptId(call) })]) },
  { weight: 1, arbitrary: anyCall.map((call) => [say.cancelToolCall({ receiptId: receiptId(call) })]) },
  {
    weight: 2,
    arbitrary: anyCall.map((call) => [request(call, false), dispatch(call), say.cancelToolCall({ receiptId: receiptId(call) })]),
  },
  { weight: 4, arbitrary: anyGrant.map((grant) => [grant]) },
  { weight: 3, arbitrary: anyApproval.map((approvalId) => [say.denyApproval({ approvalId })]) },
  { weight: 2, arbitrary: fc.constant([say.sweep()]) },
);
const waits = fc.constantFrom(0, 0, 0, 0, 1, 18, 20, 35, 70);
const anySteps = fc
  .record({
    steps: fc.array(fc.tuple(anyCommands, waits), { minLength: 5, maxLength: 20, size: 'max' }),
    end: fc.constantFrom<readonly SessionCommand[]>([], [say.closeSession()], [say.closeSession(), say.sweep()]),
    more: fc.array(fc.tuple(anyCommands, waits), { maxLength: 3 }),
  })
  .map(({ steps, end, more }): readonly Step[] => [...steps, [end, 0], ...more]);

/** Commands, and how many seconds before the first of them went by. */
type Step = readonly [readonly SessionCommand[], number];

/** What the commands lead to; those that are refused record nothing. */
function play(steps: readonly Step[]) {
  const log = testLog();
  const state = initialState();
  let seconds = 0;
  const decideOn = (command: SessionCommand): void => {
    const principal = command.type === 'GrantApproval' || command.type === 'DenyApproval' ? APPROVER : REQUESTER;
    for (const event of decide(state, command, { ...after(seconds), principal, key: say.FINGERPRINT_KEY })) {
      log.appendParts(STREAM, [event], { principal });
      evolve(state, { ...event, principal, revision: state.revision + 1 });
    }
  };
  decideOn(say.openSession());
  for (const [commands, wait] of steps) {
    seconds += wait;
    for (const command of commands) {
      try {
        decideOn(command);
      } catch (error) {
        if (!(error instanceof DomainError)) throw error;
      }
    }
  }
  return { log, state };
}

describe('whatever a session decides', () => {
  it('projects: the receipt of each call says what commands answer, approvals and counts agree with it', () => {
    const seen = new Map<string, number>();
    fc.assert(
      fc.property(anySteps, (steps) => {
        const { log, state } = play(steps);
        for (const { type } of log.events) seen.set(type, (seen.get(type) ?? 0) + 1);
        const receipts = [
          ...projecting(receiptsProjection)
            .given(...log.events)
            .docs.values(),
        ];
        for (const doc of receipts) {
          const call = state.find(doc.receiptId);
          expect(CallView.parse(doc)).toEqual(call && callView(call));
        }
        expect(receipts).toHaveLength(state.calls);

        const approvals = [
          ...projecting(approvalsProjection)
            .given(...log.events)
            .docs.values(),
        ];
        const ofReceipts = receipts
          .flatMap(({ approval }) => (approval === null ? [] : [approval]))
          .map(({ approvalId, state: is }) => [approvalId, is]);
        expect(approvals.map(({ approvalId, state: is }) => [approvalId, is]).sort()).toEqual(ofReceipts.sort());

        const count = (test: (status: ReceiptDocument['status']) => boolean): number => receipts.filter((doc) => test(doc.status)).length;
        projecting(sessionsProjection)
          .given(...log.events)
          .then({
            'w1/s1': {
              state: state.closed ? 'closed' : 'open',
              calls: {
                total: receipts.length,
                undispatched: count(isUndispatched),
                inFlight: count((status) => status === 'dispatched'),
                ended: count(isEnded),
              },
            },
          });
      }),
      { numRuns: 200 },
    );
    // The commands lead to every event, or the property would say little.
    expect([...seen.keys()].sort()).toEqual(Object.keys(SESSION_EVENTS).sort());
  });
});
