import type { OutcomeStatus } from '@counterfoil/contracts';
import {
  activatePlan,
  closeSession,
  directoryOf,
  dispatchToolCall,
  freeJson,
  givenOpened,
  observeToolCall,
  operationIdFor,
  played,
  receiptIdFor,
  refolded,
  reportResult,
  requestToolCall,
  RUN,
  runArguments,
  runSpec,
  stateAfter,
  taskPlan,
  toolSpec,
  viewAfter,
} from '@counterfoil/testing';

const observed = givenOpened()
  .when(observeToolCall())
  .then(
    {
      type: 'ToolCallRequested',
      data: {
        callIdSource: 'native',
        operationId: operationIdFor(),
        association: { kind: 'none', taskId: null },
        approval: { required: false },
      },
    },
    {
      type: 'ToolCallObserved',
      data: {
        receiptId: receiptIdFor(),
        status: 'succeeded',
        recorded: { authorized: null, failure: null },
        verification: { state: 'unavailable' },
        outdates: 'session',
      },
    },
  );

describe('a call that is reported afterwards', () => {
  it('is recorded in one append, with neither an approval nor a dispatch (promise 31)', () => {
    expect(viewAfter(observed, receiptIdFor())).toMatchObject({ status: 'succeeded', approval: null, attempt: null, leaseUntil: null });
    expect(refolded(stateAfter(observed.events), observed.events, receiptIdFor())).toMatchObject({ isObserved: true, status: 'succeeded' });
  });

  it('is the same again, and a conflict with another outcome or other arguments', () => {
    observed.when(observeToolCall()).thenNothing();
    observed.when(observeToolCall({ args: '{ "content": "alpha", "path": "a.txt" }' })).thenNothing();
    observed.when(observeToolCall({ outcome: { status: 'failed' } })).thenRefused('call_conflict');
    observed.when(observeToolCall({ output: freeJson('"other"') })).thenRefused('call_conflict');
    observed.when(observeToolCall({ args: '{}' })).thenRefused('call_conflict');
    observed.when(requestToolCall()).thenRefused('call_conflict');
    played(givenOpened(), requestToolCall()).when(observeToolCall()).thenRefused('call_conflict');
  });

  it('can neither be dispatched nor reported on any more', () => {
    observed.when(dispatchToolCall()).thenRefused('call_not_dispatchable');
    observed.when(reportResult()).thenRefused('call_not_dispatched');
    // One that was cancelled was cancelled by its runtime, not before a dispatch of the ledger's: nothing comes late.
    const cancelled = played(givenOpened(), observeToolCall({ outcome: { status: 'cancelled' } }));
    cancelled.when(reportResult()).thenRefused('call_not_dispatched');
  });

  it.each<[OutcomeStatus]>([['succeeded'], ['failed'], ['timed_out'], ['interrupted'], ['cancelled']])(
    'keeps its outcome: %s',
    (status) => {
      const given = givenOpened()
        .when(observeToolCall({ outcome: { status } }))
        .then({}, { data: { status, outcome: { status } } });
      expect(viewAfter(given, receiptIdFor()).status).toBe(status);
    },
  );

  it('is not rejected for anything, since it has run', () => {
    const registry = directoryOf({
      tools: [toolSpec()],
      violation: '/type',
      verdict: { then: 'refuse', reasons: [{ code: 'policy_refuses', ruleId: 'r1' }] },
    });
    for (const command of [
      observeToolCall({ args: '{"a":1,"a":2}' }),
      observeToolCall({ args: 'no json' }),
      observeToolCall({ taskId: 't9' }),
      observeToolCall(),
    ]) {
      givenOpened()
        .when(command, { registry })
        .then({ type: 'ToolCallRequested' }, { type: 'ToolCallObserved', data: { status: 'succeeded' } });
    }
    givenOpened()
      .when(observeToolCall({ args: '{"a":1,"a":2}' }))
      .then({ data: { operationId: null } }, {});
  });

  it('is associated by its explicit task alone, if that is eligible', () => {
    const active = played(givenOpened(), activatePlan({ tasks: [taskPlan('t1', [])] }));
    active
      .when(observeToolCall({ taskId: 't1' }))
      .then({ data: { association: { kind: 'task', taskId: 't1' }, planId: 'p1' } }, { data: { outdates: 'task' } });
    active.when(observeToolCall({ taskId: 't9' })).then({ data: { association: { kind: 'none' }, planId: null, taskId: 't9' } }, {});
    active.when(observeToolCall()).then({ data: { association: { kind: 'none' }, taskId: null } }, {});
  });

  it('stands in the way of its operation, as everything that succeeded does', () => {
    played(observed, requestToolCall({ callId: 'again' }))
      .when(dispatchToolCall({ receiptId: receiptIdFor('again') }))
      .then({ type: 'ToolCallRejected', data: { code: 'duplicate_operation' } });
  });

  it('outdates nothing if it ran one of its task’s own checks', () => {
    const active = played(givenOpened(), activatePlan());
    const registry = directoryOf({ tools: [runSpec()] });
    const ran = (command: string) => observeToolCall({ taskId: 't1', tool: { ...RUN, declared: null }, args: runArguments(command) });
    active.when(ran('npm test'), { registry }).then({}, { data: { outdates: 'nothing', planId: 'p1', taskId: 't1' } });
    active.when(ran('npm test || true'), { registry }).then({}, { data: { outdates: 'task' } });
  });

  it('outdates nothing if its tool only reads, and lets declared exit codes win', () => {
    const tools = [toolSpec({ sideEffects: 'read_only', effect: null, successExitCodes: [0, 1] })];
    givenOpened()
      .when(observeToolCall({ outcome: { status: 'failed', exitCode: 1 } }), { registry: directoryOf({ tools }) })
      .then(
        {},
        {
          data: { outdates: 'nothing', status: 'succeeded', outcome: { reportedStatus: 'failed' }, verification: { state: 'unavailable' } },
        },
      );
  });

  it('holds no secret in any of its places', () => {
    const given = givenOpened()
      .when(
        observeToolCall({
          args: '{"api_key":"FAKE-value-of-a-key"}',
          output: freeJson('"it was FAKE-value-of-a-key"'),
          outcome: { status: 'failed', error: { code: 'e', message: freeJson('"FAKE-value-of-a-key is wrong"') } },
        }),
      )
      .then({}, {});
    expect(JSON.stringify(given.events)).not.toContain('FAKE-value');
  });

  it('needs an open session', () => {
    played(givenOpened(), closeSession()).when(observeToolCall()).thenRefused('session_closed');
    played(observed, closeSession()).when(observeToolCall()).thenNothing();
  });
});
