import {
  cancelToolCall,
  closeSession,
  dispatchToolCall,
  givenOpened,
  operationIdFor,
  played,
  receiptIdFor,
  reportResult,
  requestToolCall,
  stateAfter,
  viewAfter,
  type RequestChange,
} from '@counterfoil/testing';

describe('the same request again', () => {
  const asked: RequestChange = { requireApproval: true, tool: { source: 'mcp:files', name: 'write_file', declared: '{"a":1,"b":2}' } };

  it.each<[string, RequestChange]>([
    ['as it was', asked],
    ['in another spelling and order', { ...asked, args: '{ "content":"\\u0061lpha","path":"a.txt" }' }],
    ['with its declaration spelled otherwise', { ...asked, tool: { ...asked.tool!, declared: '{"b":2.0, "a":1}' } }],
  ])('adds nothing %s', (_, again) => {
    givenOpened().when(requestToolCall(asked)).then({}, {}).when(requestToolCall(again)).thenNothing();
  });

  it('adds nothing after each end of the call, or after the session was closed', () => {
    const requested = played(givenOpened(), requestToolCall());
    const ends = [
      played(requested, cancelToolCall()),
      played(requested, dispatchToolCall(), reportResult()),
      played(requested, closeSession()),
    ];
    for (const given of ends) given.when(requestToolCall()).thenNothing();
  });

  it('adds nothing for a call that was rejected', () => {
    for (const args of ['{"amount":1,"amount":2}', 'not JSON', '{"a":']) {
      played(givenOpened(), requestToolCall({ args })).when(requestToolCall({ args })).thenNothing();
    }
  });

  it('does bounded work, thousands of times over', () => {
    const given = played(givenOpened(), ...Array.from({ length: 2000 }, () => requestToolCall()));
    expect(given.events).toHaveLength(2);
  });

  it('is compared with what was requested, whoever asks', () => {
    played(givenOpened(), requestToolCall()).when(requestToolCall(), { principal: 'agent:second' }).thenNothing();
  });

  it.each<[string, RequestChange]>([
    ['arguments', { args: '{"path":"b.txt"}' }],
    ['arguments of another type', { args: '{"path":"a.txt","content":["alpha"]}' }],
    ['arguments that are malformed', { args: '{' }],
    ['tool name', { tool: { source: 'mcp:files', name: 'read_file', declared: null } }],
    ['tool source', { tool: { source: 'mcp:other', name: 'write_file', declared: null } }],
    ['declaration', { tool: { source: 'mcp:files', name: 'write_file', declared: '{}' } }],
    ['call id source', { callIdSource: 'synthetic' }],
    ['task', { taskId: 't1' }],
    ['approval wish', { requireApproval: true }],
  ])('is a conflict with another %s, and records nothing', (_, change) => {
    const open = played(givenOpened(), requestToolCall());
    open.when(requestToolCall(change)).thenRefused('call_conflict');
    // The first one keeps its arguments (case 4), also once only its digests are kept.
    expect(viewAfter(open, receiptIdFor()).operationId).toBe(operationIdFor());
    played(open, cancelToolCall()).when(requestToolCall(change)).thenRefused('call_conflict');
    played(open, closeSession()).when(requestToolCall(change)).thenRefused('call_conflict');
  });

  it('is a conflict with another approval expiry, if approval was wished', () => {
    played(givenOpened(), requestToolCall({ requireApproval: true }))
      .when(requestToolCall({ requireApproval: true, approvalExpiresSeconds: 901 }))
      .thenRefused('call_conflict');
    played(givenOpened(), requestToolCall())
      .when(requestToolCall({ approvalExpiresSeconds: 901 }))
      .thenNothing();
  });

  it('compares malformed arguments by their text', () => {
    played(givenOpened(), requestToolCall({ args: '{"a":1,"a":2}' }))
      .when(requestToolCall({ args: '{"a":1, "a":2}' }))
      .thenRefused('call_conflict');
    // Two lone surrogates that one stack would replace by the same character.
    played(givenOpened(), requestToolCall({ args: '"\ud800"' }))
      .when(requestToolCall({ args: '"\ud801"' }))
      .thenRefused('call_conflict');
  });

  it('is another call in another turn: a proxy restarts its ids in every response', () => {
    const turns = ['1', '2', '3', '4'];
    const given = played(givenOpened(), ...turns.map((turn) => requestToolCall({ turn })));
    expect(stateAfter(given.events).calls).toBe(4);
    expect(new Set(turns.map((turn) => receiptIdFor('call_0', turn))).size).toBe(4);
    expect(new Set(turns.map((turn) => viewAfter(given, receiptIdFor('call_0', turn)).operationId))).toEqual(new Set([operationIdFor()]));
  });

  it('leaves the call of an earlier turn open when only the later one is reported', () => {
    const given = played(
      givenOpened(),
      requestToolCall({ callId: 'abcdefghi', turn: '1' }),
      dispatchToolCall({ receiptId: receiptIdFor('abcdefghi', '1') }),
      requestToolCall({ callId: 'abcdefghi', turn: '2' }),
      dispatchToolCall({ receiptId: receiptIdFor('abcdefghi', '2') }),
      reportResult({ receiptId: receiptIdFor('abcdefghi', '2') }),
    );
    expect(viewAfter(given, receiptIdFor('abcdefghi', '1')).status).toBe('dispatched');
    expect(viewAfter(given, receiptIdFor('abcdefghi', '2')).status).toBe('succeeded');
  });
});
