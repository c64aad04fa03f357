import {
  after,
  APPROVER,
  cancelToolCall,
  closeSession,
  denyApproval,
  dispatchToolCall,
  givenOpened,
  grantApproval,
  freeJson,
  openSession,
  givenSession,
  operationIdFor,
  played,
  receiptIdFor,
  reportResult,
  requestToolCall,
  stateAfter,
  sweep,
  freeText,
  type GivenSession,
} from '@counterfoil/testing';

const SECRET = 'FAKE-hunter2-9xQ';
const ARGS = `{"url":"http://localhost","password":"${SECRET}"}`;
const call = { args: ARGS };
const requested = (): GivenSession => played(givenOpened(), requestToolCall(call));
const dispatched = (): GivenSession => played(requested(), dispatchToolCall(call));
const containing = (text: string): unknown => expect.stringContaining(text);
const held = (given: GivenSession): string => JSON.stringify(given.events);

describe('a secret in the arguments of a call', () => {
  it('stands in no event, and is known from then on without being held', () => {
    const given = requested();
    expect(held(given)).not.toContain(SECRET);
    expect(given.events[1]).toMatchObject({ data: { arguments: { redactions: [{ bytes: SECRET.length }] } } });
    expect(stateAfter(given.events).known).toHaveLength(1);
  });

  it('is redacted in the error text of the same call (case 40)', () => {
    const message = freeText(`login failed for ${SECRET}: no`);
    const given = dispatched()
      .when(reportResult({ outcome: { status: 'failed', error: { code: null, message } } }))
      .then({ data: { outcome: { error: { message: { json: containing('login failed for ') } } } } });
    expect(held(given)).not.toContain(SECRET);
  });

  it.each<[string, (given: GivenSession) => GivenSession]>([
    ['output as JSON', (given) => played(given, reportResult({ output: freeJson(`{"echo":"${SECRET}"}`) }))],
    ['output as text', (given) => played(given, reportResult({ output: freeText(`echo ${SECRET}`) }))],
    ['JSON in a string', (given) => played(given, reportResult({ output: freeJson(JSON.stringify({ body: `{"echo":"${SECRET}"}` })) }))],
    ['late result', (given) => played(given, [sweep(), after(60)], reportResult({ output: freeText(SECRET) }))],
    ['reason of a cancellation', (given) => played(given, cancelToolCall({ reason: freeText(`leaked ${SECRET}`) }))],
    ['reason of a close', (given) => played(given, closeSession({ reason: freeText(`leaked ${SECRET}`) }))],
    ['arguments of a later call', (given) => played(given, requestToolCall({ callId: 'b', args: `{"text":"use ${SECRET}"}` }))],
    [
      'declared data of a later call',
      (given) => played(given, requestToolCall({ callId: 'b', tool: { source: 'a', name: 'b', declared: `{"x":"${SECRET}"}` } })),
    ],
    ['malformed arguments of a later call', (given) => played(given, requestToolCall({ callId: 'b', args: `{"text":"${SECRET}` }))],
    [
      'note of a grant',
      (given) =>
        played(given, requestToolCall({ callId: 'b', args: '{}', requireApproval: true }), [
          grantApproval({ operationId: operationIdFor('{}'), note: freeText(`with ${SECRET}`) }),
          { principal: APPROVER },
        ]),
    ],
    [
      'note of a denial',
      (given) =>
        played(given, requestToolCall({ callId: 'b', args: '{}', requireApproval: true }), [
          denyApproval({ note: freeText(`not with ${SECRET}`) }),
          { principal: APPROVER },
        ]),
    ],
  ])('is redacted in a later %s', (_, go) => {
    const given = go(dispatched());
    expect(given.events.length).toBeGreaterThan(dispatched().events.length);
    expect(held(given)).not.toContain(SECRET);
  });

  it('is redacted later also when the call that taught it was rejected', () => {
    const given = played(
      givenOpened(),
      requestToolCall({ args: `{"password":"${SECRET}","a":1,"a":2}` }),
      requestToolCall({ callId: 'b', args: `"${SECRET}"` }),
    );
    expect(held(given)).not.toContain(SECRET);
  });

  it('is learned from a result, too', () => {
    const given = played(
      givenOpened(),
      requestToolCall(),
      dispatchToolCall(),
      reportResult({ output: freeJson(ARGS) }),
      requestToolCall({ callId: 'b', args: `{"text":"${SECRET}"}` }),
    );
    expect(held(given)).not.toContain(SECRET);
  });

  it('does not change the operation: it covers the arguments before redaction', () => {
    const other = ARGS.replace(SECRET, 'FAKE-hunter3-9xQ');
    requested()
      .when(dispatchToolCall({ args: other }))
      .thenRefused('operation_mismatch');
    requested()
      .when(requestToolCall({ args: other }))
      .thenRefused('call_conflict');
  });

  it('is not known in another session', () => {
    const given = played(givenSession(), openSession({ sessionId: 's2' }), requestToolCall({ args: `{"text":"${SECRET}"}` }));
    expect(stateAfter(given.events).known).toHaveLength(0);
    expect(receiptIdFor('call_0', 'turn-1', 's2')).not.toBe(receiptIdFor());
  });
});

describe('a known secret that came back as an identifier was recorded in plain', () => {
  it.each([
    ['the call id', { callId: SECRET }],
    ['the turn', { turn: `turn of ${SECRET}` }],
    ['the tool name', { tool: { source: 'a', name: SECRET, declared: null } }],
  ])('%s is refused', (_name, change) => {
    const given = requested();
    given.when(requestToolCall({ callId: 'other', ...change })).thenRefused('identifier_is_secret');
    expect(held(given)).not.toContain(SECRET);
  });
});
