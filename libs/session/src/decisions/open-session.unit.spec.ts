import {
  closeSession,
  decisionContext,
  givenOpened,
  givenSession,
  openSession,
  receiptIdFor,
  requestToolCall,
  stateAfter,
  sweep,
  dispatchToolCall,
  reportResult,
  cancelToolCall,
  extendLease,
  grantApproval,
  denyApproval,
} from '@counterfoil/testing';
import { decide } from '../decide.js';
import { evolve, initialState } from '../evolve.js';

const PARENT = { sessionId: 's0', receiptId: receiptIdFor('call_0', 'turn-1', 's0') };
// Shaped like a token of an issuer whose prefix every scanner knows.
const FAKE_TOKEN = 'sk-FAKE1a2B3c4D5e6F7g8H';

describe('open a session', () => {
  it('records who works in it and pins the fingerprint key', () => {
    givenSession()
      .when(openSession({ parent: PARENT }))
      .then({
        type: 'SessionOpened',
        data: { workspaceId: 'w1', sessionId: 's1', userId: 'u1', agent: 'tester', parent: PARENT, fingerprintKeyId: 'k1' },
      });
  });

  it('adds nothing when the same is opened again, also when it was closed meanwhile', () => {
    givenOpened().when(openSession()).thenNothing().when(closeSession()).then({ type: 'SessionClosed' }).when(openSession()).thenNothing();
    givenSession()
      .when(openSession({ parent: PARENT }))
      .then({ type: 'SessionOpened' })
      .when(openSession({ parent: { ...PARENT } }))
      .thenNothing();
  });

  it("refuses an id that another user's session has, whatever else is said", () => {
    givenOpened()
      .when(openSession({ userId: 'u2' }))
      .thenRefused('session_id_unavailable');
    givenOpened()
      .when(openSession({ userId: 'u2', agent: 'other' }))
      .thenRefused('session_id_unavailable');
  });

  it.each([
    ['another agent', { agent: 'other' }],
    ['no agent', { agent: null }],
    ['a parent', { parent: PARENT }],
  ])('refuses the same session with %s', (_, change) => {
    givenOpened().when(openSession(change)).thenRefused('session_conflict');
  });

  it.each([
    ['another parent call', { ...PARENT, receiptId: receiptIdFor('call_1', 'turn-1', 's0') }],
    ['a parent call of another session', { ...PARENT, sessionId: 's9' }],
    ['no parent', null],
  ])('refuses the same session with %s', (_, parent) => {
    givenSession()
      .when(openSession({ parent: PARENT }))
      .then({ type: 'SessionOpened' })
      .when(openSession({ parent }))
      .thenRefused('session_conflict');
  });

  it.each([
    ['sessionId', { sessionId: FAKE_TOKEN }],
    ['userId', { userId: FAKE_TOKEN }],
    ['agent', { agent: FAKE_TOKEN }],
    ['parent.sessionId', { parent: { ...PARENT, sessionId: FAKE_TOKEN } }],
  ])('refuses a secret as %s and names the field only', (field, change) => {
    givenSession().when(openSession(change)).thenRefused('identifier_is_secret');
    try {
      decide(initialState(), openSession(change), decisionContext());
    } catch (error) {
      expect(error).toMatchObject({ extensions: { field } });
      expect(JSON.stringify(error) + String(error)).not.toContain('FAKE');
    }
  });

  it('keeps a parent as it was said, whatever the caller does to it afterwards', () => {
    const parent = { ...PARENT };
    const context = decisionContext();
    const [opened] = decide(initialState(), openSession({ parent }), context);
    parent.sessionId = 'changed';
    expect(opened).toMatchObject({ data: { parent: PARENT } });
  });
});

describe('a session that was never opened', () => {
  it.each([
    ['a request', requestToolCall()],
    ['a dispatch', dispatchToolCall()],
    ['a result', reportResult()],
    ['a cancellation', cancelToolCall()],
    ['a heartbeat', extendLease()],
    ['a grant', grantApproval()],
    ['a denial', denyApproval()],
    ['a close', closeSession()],
  ])('is missing for %s', (_, command) => {
    givenSession().when(command).thenRefused('not_found');
  });

  it('has nothing to sweep', () => {
    givenSession().when(sweep()).thenNothing();
  });
});

describe('the identity of a folded session', () => {
  it('is what was opened', () => {
    expect(stateAfter(givenOpened().events).identity).toEqual({
      workspaceId: 'w1',
      sessionId: 's1',
      userId: 'u1',
      agent: 'tester',
      parent: null,
      fingerprintKeyId: 'k1',
      rootSessionId: 's1',
    });
  });

  it('begins at no revision and follows its events', () => {
    const state = initialState();
    expect([state.identity, state.closed, state.revision, state.calls]).toEqual([null, false, -1, 0]);
    const [opened] = givenOpened().events;
    evolve(state, { ...opened!, revision: 0 });
    expect(state.revision).toBe(0);
  });
});
