import type { OutcomeStatus } from '@counterfoil/contracts';
import {
  after,
  APPROVER,
  attemptOf,
  cancelToolCall,
  closeSession,
  denyApproval,
  dispatchToolCall,
  extendLease,
  givenOpened,
  grantApproval,
  freeJson,
  played,
  receiptIdFor,
  reportResult,
  requestToolCall,
  sweep,
  freeText,
  viewAfter,
  type GivenSession,
  type ReportChange,
} from '@counterfoil/testing';
import { nextFor } from '../call.js';

const requested = (): GivenSession => played(givenOpened(), requestToolCall());
const dispatched = (): GivenSession => played(requested(), dispatchToolCall());
const pending = (): GivenSession => played(givenOpened(), requestToolCall({ requireApproval: true, approvalExpiresSeconds: 60 }));
const matching = (pattern: RegExp): unknown => expect.stringMatching(pattern);
const SHA256 = 'ab'.repeat(32);
const FAKE_TOKEN = 'sk-FAKE1a2B3c4D5e6F7g8H';
const FULL: ReportChange = {
  outcome: { status: 'failed', exitCode: 2, signal: 'SIGTERM', isError: true, error: { code: 'E1', message: freeText('no such file') } },
  output: freeJson('{"lines":[1,2.0]}'),
  observation: { method: 'content_digest', observer: 'runtime', exists: true, sha256: SHA256, bytes: 9 },
  startedAt: '2027-01-01T00:00:00Z',
  completedAt: '2027-01-01T00:00:01+01:00',
};

describe('report a result', () => {
  it('records outcome, output, observation and times as typed data', () => {
    dispatched()
      .when(reportResult(FULL))
      .then({
        type: 'ToolExecuted',
        data: {
          receiptId: receiptIdFor(),
          attempt: attemptOf(1),
          outcome: {
            status: 'failed',
            exitCode: 2,
            signal: 'SIGTERM',
            isError: true,
            error: { code: 'E1', message: { json: '"no such file"' } },
          },
          result: { json: '{"lines":[1,2.0]}' },
          observation: {
            json: matching(/"method":"content_digest","observer":"runtime","exists":true,"digest":"k1:[\w-]{43}","bytes":9/),
          },
          times: { startedAt: '2027-01-01T00:00:00Z', completedAt: '2027-01-01T00:00:01+01:00' },
          verification: { state: 'unavailable', method: null, expected: null, before: null, change: null },
        },
      });
  });

  it('never stores the plain digest of a file', () => {
    const given = dispatched().when(reportResult(FULL)).then({});
    expect(JSON.stringify(given.events)).not.toContain(SHA256);
  });

  it.each<OutcomeStatus>(['succeeded', 'failed', 'timed_out', 'interrupted', 'cancelled'])('ends the call as %s', (status) => {
    const given = dispatched()
      .when(reportResult({ outcome: { status } }))
      .then({ type: 'ToolExecuted' });
    const view = viewAfter(given, receiptIdFor());
    expect(view).toMatchObject({ status, attempt: attemptOf(1), leaseUntil: null });
    expect(nextFor(view.status)).toBe('stop');
  });

  it.each<[OutcomeStatus, ReportChange]>([
    ['succeeded', { outcome: { status: 'succeeded', exitCode: 3 }, output: freeText('ok') }],
    ['succeeded', { outcome: { status: 'succeeded', exitCode: 0 }, output: freeText('Error: not found') }],
    ['failed', { outcome: { status: 'failed', exitCode: 0, isError: false }, output: freeText('ok, all done') }],
    ['succeeded', { outcome: { status: 'succeeded', isError: true, error: { code: null, message: freeText('denied by the user') } } }],
  ])('says %s for the typed status alone: text and facts never decide (case %#)', (status, change) => {
    const given = dispatched()
      .when(reportResult(change))
      .then({ type: 'ToolExecuted', data: { outcome: { status } } });
    expect(viewAfter(given, receiptIdFor()).status).toBe(status);
  });

  it('takes a result after the end of the lease, as long as nobody has called it lost', () => {
    dispatched().when(reportResult(), after(3600)).then({ type: 'ToolExecuted' });
  });

  it('takes a result after the session was closed', () => {
    const given = played(dispatched(), closeSession()).when(reportResult()).then({ type: 'ToolExecuted' });
    expect(viewAfter(given, receiptIdFor()).status).toBe('succeeded');
  });

  it('is taken in whatever order calls end: both orders are kept (case 27)', () => {
    const ids = Array.from({ length: 33 }, (_, n) => `call_${n}`);
    const receipts = ids.map((id) => receiptIdFor(id));
    const ended = [...receipts].sort();
    const given = played(
      givenOpened(),
      ...ids.map((callId) => requestToolCall({ callId, tool: { source: 'mcp:a', name: callId, declared: null } })),
      ...ids.map((callId) => dispatchToolCall({ receiptId: receiptIdFor(callId), args: '{"path":"a.txt","content":"alpha"}' })),
      ...ended.map((receiptId) => reportResult({ receiptId })),
    );
    const order = (type: string): string[] =>
      given.events.flatMap((event) => (event.type === type && 'receiptId' in event.data ? [event.data.receiptId] : []));
    expect(order('ToolCallRequested')).toEqual(receipts);
    expect(order('ToolExecuted')).toEqual(ended);
  });
});

describe('the same result again', () => {
  it('adds nothing', () => {
    const ended = played(dispatched(), reportResult(FULL));
    ended.when(reportResult(FULL)).thenNothing();
    ended.when(reportResult({ ...FULL, attempt: attemptOf(1).toUpperCase() })).thenNothing();
    played(ended, closeSession()).when(reportResult(FULL), after(9999)).thenNothing();
  });

  it.each<[string, ReportChange]>([
    ['status', { ...FULL, outcome: { ...FULL.outcome, status: 'succeeded' } }],
    ['exit code', { ...FULL, outcome: { ...FULL.outcome, exitCode: 3 } }],
    ['signal', { ...FULL, outcome: { ...FULL.outcome, signal: null } }],
    ['isError', { ...FULL, outcome: { ...FULL.outcome, isError: null } }],
    ['error code', { ...FULL, outcome: { ...FULL.outcome, error: { code: 'E2', message: freeText('no such file') } } }],
    ['error message', { ...FULL, outcome: { ...FULL.outcome, error: { code: 'E1', message: freeText('no such file!') } } }],
    ['error', { ...FULL, outcome: { ...FULL.outcome, error: null } }],
    ['output', { ...FULL, output: freeJson('{"lines":[1,2]}') }],
    ['kind of output', { ...FULL, output: freeText('{"lines":[1,2.0]}') }],
    ['output (none)', { ...FULL, output: null }],
    ['observation', { ...FULL, observation: { ...FULL.observation!, bytes: 10 } }],
    ['start', { ...FULL, startedAt: null }],
    ['end', { ...FULL, completedAt: null }],
  ])('is a conflict with another %s: the first one stands', (_, change) => {
    played(dispatched(), reportResult(FULL)).when(reportResult(change)).thenRefused('result_conflict');
  });

  it('keeps texts apart that only differ in a lone surrogate', () => {
    played(dispatched(), reportResult({ output: freeText('\ud800') }))
      .when(reportResult({ output: freeText('\ud801') }))
      .thenRefused('result_conflict');
  });
});

describe('a result that is refused', () => {
  it.each<[string, GivenSession]>([
    ['requested', requested()],
    ['awaiting_approval', pending()],
    ['approved', played(pending(), [grantApproval(), { principal: APPROVER }])],
    ['denied', played(pending(), [denyApproval(), { principal: APPROVER }])],
    ['expired', played(pending(), [sweep(), after(60)])],
    ['expired', played(pending(), [dispatchToolCall(), after(60)])],
    ['rejected', played(givenOpened(), requestToolCall({ args: '{"a":1,"a":2}' }))],
    ['rejected', played(dispatched(), requestToolCall({ callId: 'dup' }), dispatchToolCall({ receiptId: receiptIdFor('dup') }))],
  ])('comes for a call that is %s', (status, given) => {
    const receiptId = given.events.some((event) => 'receiptId' in event.data && event.data.receiptId === receiptIdFor('dup'))
      ? receiptIdFor('dup')
      : receiptIdFor();
    expect(viewAfter(given, receiptId).status).toBe(status);
    given.when(reportResult({ receiptId })).thenRefused('call_not_dispatched');
  });

  it('comes from another attempt, while the call runs and afterwards', () => {
    const other = reportResult({ attempt: attemptOf(2) });
    dispatched().when(other).thenRefused('attempt_mismatch');
    played(dispatched(), reportResult()).when(other).thenRefused('attempt_mismatch');
    played(dispatched(), [sweep(), after(60)])
      .when(other)
      .thenRefused('attempt_mismatch');
  });

  it('is for no call of this session', () => {
    dispatched()
      .when(reportResult({ receiptId: receiptIdFor('call_0', 'turn-1', 's2') }))
      .thenRefused('not_found');
  });

  it.each<[string, ReportChange]>([
    ['outcome.signal', { outcome: { signal: FAKE_TOKEN } }],
    ['outcome.error.code', { outcome: { error: { code: FAKE_TOKEN, message: null } } }],
    ['observation.method', { observation: { method: FAKE_TOKEN, observer: 'runtime', exists: true, sha256: null, bytes: null } }],
    ['observation.observer', { observation: { method: 'stat', observer: FAKE_TOKEN, exists: true, sha256: null, bytes: null } }],
  ])('names a secret as %s; the same without it is taken', (_, change) => {
    dispatched().when(reportResult(change)).thenRefused('identifier_is_secret').when(reportResult()).then({ type: 'ToolExecuted' });
    played(dispatched(), [sweep(), after(60)])
      .when(reportResult(change))
      .thenRefused('identifier_is_secret');
  });
});

describe('a result that comes late', () => {
  const lost = (): GivenSession => played(dispatched(), [sweep(), after(60)]);

  it.each<[string, GivenSession, string]>([
    ['unknown', lost(), 'lease_lost'],
    ['cancelled', played(requested(), cancelToolCall()), 'requested'],
    ['cancelled', played(requested(), closeSession()), 'session_closed'],
  ])('is kept beside a call that is %s, which stays so', (status, given, reason) => {
    const late = given.when(reportResult(FULL), after(100)).then({
      type: 'LateResultRecorded',
      data: {
        receiptId: receiptIdFor(),
        attempt: attemptOf(1),
        outcome: { status: 'failed', exitCode: 2 },
        result: { json: '{"lines":[1,2.0]}' },
      },
    });
    expect(viewAfter(late, receiptIdFor())).toMatchObject({ status, reason: { code: reason } });
    expect(late.events.at(-1)!.data).not.toHaveProperty('verification');
    late.when(reportResult(FULL), after(200)).thenNothing();
    late.when(reportResult({ ...FULL, output: null })).thenRefused('result_conflict');
    late.when(sweep(), after(9999)).thenNothing();
  });

  it('leaves the attempt and what consumed the approval as they were', () => {
    const given = played(pending(), [grantApproval(), { principal: APPROVER }], dispatchToolCall(), [sweep(), after(60)], reportResult());
    expect(viewAfter(given, receiptIdFor())).toMatchObject({ status: 'unknown', attempt: attemptOf(1), approval: { state: 'consumed' } });
    given.when(dispatchToolCall()).thenNothing();
    given.when(cancelToolCall()).thenRefused('call_ended');
    given.when(extendLease()).thenRefused('call_ended');
  });

  it('of a call that never ran may name any attempt, but one result only', () => {
    const cancelled = played(requested(), cancelToolCall());
    const late = cancelled
      .when(reportResult({ attempt: attemptOf(7) }))
      .then({ type: 'LateResultRecorded', data: { attempt: attemptOf(7) } });
    late.when(reportResult({ attempt: attemptOf(8) })).thenRefused('result_conflict');
    late.when(dispatchToolCall({ attempt: attemptOf(7) })).thenRefused('call_not_dispatchable');
  });

  it('does not follow a report of the runner that the call was cancelled', () => {
    played(dispatched(), reportResult({ outcome: { status: 'cancelled' } }))
      .when(reportResult())
      .thenRefused('result_conflict');
  });

  it('is recorded in a closed session, too', () => {
    played(lost(), closeSession()).when(reportResult()).then({ type: 'LateResultRecorded' });
  });
});
