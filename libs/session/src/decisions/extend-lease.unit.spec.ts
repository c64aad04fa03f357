import {
  after,
  attemptOf,
  closeSession,
  dispatchToolCall,
  extendLease,
  givenOpened,
  played,
  receiptIdFor,
  reportResult,
  requestToolCall,
  sweep,
  timeAfter,
  viewAfter,
  type GivenSession,
} from '@counterfoil/testing';

const requested = (): GivenSession => played(givenOpened(), requestToolCall());
const dispatched = (): GivenSession => played(requested(), dispatchToolCall({ leaseSeconds: 60 }));

describe('a heartbeat', () => {
  it('adds nothing in the first half of the lease', () => {
    for (const seconds of [0, 1, 29, 29.999]) dispatched().when(extendLease(), after(seconds)).thenNothing();
  });

  it('extends the lease by its own length from the second half on', () => {
    const given = dispatched()
      .when(extendLease(), after(30))
      .then({
        type: 'LeaseExtended',
        data: { receiptId: receiptIdFor(), attempt: attemptOf(1), leaseSeconds: 60, leaseUntil: timeAfter(90) },
      });
    expect(viewAfter(given, receiptIdFor())).toMatchObject({ status: 'dispatched', leaseUntil: timeAfter(90) });
  });

  it('adds at most one event per half lease, however often it comes', () => {
    const beats = Array.from({ length: 600 }, (_, second) => [extendLease(), after(second)] as const);
    const given = played(dispatched(), ...beats);
    expect(given.events.filter((event) => event.type === 'LeaseExtended')).toHaveLength(19);
    expect(viewAfter(given, receiptIdFor()).status).toBe('dispatched');
  });

  it('takes another length, and judges the next half by it', () => {
    const given = dispatched()
      .when(extendLease({ leaseSeconds: 600 }), after(40))
      .then({ type: 'LeaseExtended', data: { leaseSeconds: 600, leaseUntil: timeAfter(640) } });
    given.when(extendLease({ leaseSeconds: 600 }), after(339)).thenNothing();
    given.when(extendLease(), after(340)).then({ type: 'LeaseExtended', data: { leaseSeconds: 600, leaseUntil: timeAfter(940) } });
  });

  it('never shortens a lease', () => {
    dispatched()
      .when(extendLease({ leaseSeconds: 1 }), after(30))
      .thenNothing();
    dispatched()
      .when(extendLease({ leaseSeconds: 30 }), after(30))
      .thenNothing();
    dispatched()
      .when(extendLease({ leaseSeconds: 31 }), after(30))
      .then({ type: 'LeaseExtended', data: { leaseUntil: timeAfter(61) } });
  });

  it('does not shorten it when the clock steps back', () => {
    dispatched().when(extendLease(), after(-3600)).thenNothing();
  });

  it('keeps a call that nobody has called lost', () => {
    const given = dispatched()
      .when(extendLease(), after(61))
      .then({ type: 'LeaseExtended', data: { leaseUntil: timeAfter(121) } });
    given.when(sweep(), after(120)).thenNothing();
    given.when(sweep(), after(121)).then({ type: 'ToolOutcomeLost' });
  });

  it('goes on in a closed session, until the result is there', () => {
    played(dispatched(), closeSession()).when(extendLease(), after(31)).then({ type: 'LeaseExtended' });
  });

  it('is refused to another attempt', () => {
    dispatched()
      .when(extendLease({ attempt: attemptOf(2) }), after(31))
      .thenRefused('attempt_mismatch');
    played(requested(), dispatchToolCall({ attempt: attemptOf(0xabc), leaseSeconds: 60 }))
      .when(extendLease({ attempt: attemptOf(0xabc).toUpperCase() }), after(31))
      .then({ type: 'LeaseExtended', data: { attempt: attemptOf(0xabc) } });
  });

  it('is refused for a call that does not run', () => {
    requested().when(extendLease()).thenRefused('call_not_dispatched');
    played(givenOpened(), requestToolCall({ requireApproval: true }))
      .when(extendLease())
      .thenRefused('call_not_dispatched');
    played(dispatched(), reportResult()).when(extendLease()).thenRefused('call_ended');
    played(dispatched(), [sweep(), after(60)])
      .when(extendLease(), after(61))
      .thenRefused('call_ended');
    requested()
      .when(extendLease({ receiptId: receiptIdFor('call_1') }))
      .thenRefused('not_found');
  });
});
