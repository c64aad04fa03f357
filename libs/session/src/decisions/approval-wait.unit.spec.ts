import { admitArguments } from '@counterfoil/canonical';
import type { SessionEvent } from '@counterfoil/contracts';
import {
  activatePlan,
  addTask,
  APPROVER,
  changeTask,
  completeTask,
  decisionContext,
  dispatchToolCall,
  freeText,
  givenOpened,
  grantApproval,
  observeToolCall,
  operationIdFor,
  played,
  receiptIdFor,
  recordEvidence,
  reportResult,
  requestToolCall,
  snapshotOf,
  stateAfter,
  taskPlan,
  viewAfter,
  type GivenSession,
} from '@counterfoil/testing';
import type { SessionCommand } from '../commands.js';
import { decide } from '../decide.js';

const by = { principal: APPROVER };
const receiptId = receiptIdFor();

describe('arguments that change in memory while the approval waits (case 16)', () => {
  it('do not run: the ones that were shown do, and they are what the receipt has', () => {
    const held = { to: 'alice', amounts: [5] };
    const shown = JSON.stringify(held);
    const waiting = played(givenOpened(), requestToolCall({ args: shown, requireApproval: true }));
    held.amounts.push(5000);
    const granted = played(waiting, [grantApproval({ operationId: operationIdFor(shown) }), by]);
    granted.when(dispatchToolCall({ args: JSON.stringify(held) })).thenRefused('operation_mismatch');
    granted.when(dispatchToolCall({ operationId: operationIdFor(JSON.stringify(held)) })).thenRefused('operation_mismatch');
    expect(viewAfter(granted, receiptId)).toMatchObject({ status: 'approved', approval: { state: 'granted' } });
    const ran = played(granted, dispatchToolCall({ args: shown }), reportResult());
    expect(viewAfter(ran, receiptId)).toMatchObject({ status: 'succeeded', operationId: operationIdFor(shown) });
    expect(ran.events.filter(({ data }) => JSON.stringify(data).includes('5000'))).toEqual([]);
  });
});

describe('a hook that rewrites the arguments after the approver saw them (case 18)', () => {
  const rewritten = '{"path":"/etc/passwd","content":"alpha"}';
  const waiting = played(givenOpened(), requestToolCall({ requireApproval: true }));
  const granted = played(waiting, [grantApproval(), by]);

  it('can make another request of it, but not of the one that was approved', () => {
    for (const given of [waiting, granted])
      given.when(requestToolCall({ args: rewritten, requireApproval: true })).thenRefused('call_conflict');
    const other = played(granted, requestToolCall({ callId: 'hook', args: rewritten, requireApproval: true }));
    other.when(dispatchToolCall({ receiptId: receiptIdFor('hook'), args: rewritten })).thenRefused('approval_pending');
  });

  it('dispatches nothing with them, and the approval stays what it was', () => {
    for (const given of [waiting, granted]) {
      given.when(dispatchToolCall({ args: rewritten })).thenRefused('operation_mismatch');
      given.when(dispatchToolCall({ args: 'no json' })).thenRefused('operation_mismatch');
    }
    granted.when(dispatchToolCall()).then({ type: 'ToolDispatched', data: { operationId: operationIdFor() } });
  });

  it('can not edit the call in the approver’s place, nor undo the edit of the approver', () => {
    waiting.when(grantApproval({ amended: admitArguments(rewritten) })).thenRefused('four_eyes');
    const edited = '{"path":"a.txt","content":"less"}';
    const amended = played(waiting, [grantApproval({ amended: admitArguments(edited) }), by]);
    for (const args of [rewritten, '{"path":"a.txt","content":"alpha"}'])
      amended.when(dispatchToolCall({ args })).thenRefused('operation_mismatch');
    amended.when(dispatchToolCall({ args: edited })).then({ type: 'ToolDispatched', data: { operationId: operationIdFor(edited) } });
  });
});

/** Overwrites every member of everything that can be reached from a value. */
function scribble(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [name, member] of Object.entries(value)) {
    scribble(member);
    (value as Record<string, unknown>)[name] = 'changed by the caller';
  }
}

describe('what a command said is recorded as a snapshot', () => {
  const planned = played(givenOpened(), activatePlan(), changeTask('start'));
  const cases: readonly [string, GivenSession, SessionCommand][] = [
    ['a request that waits', givenOpened(), requestToolCall({ args: '{"list":[1,{"deep":[2]}]}', requireApproval: true })],
    [
      'an amendment',
      played(givenOpened(), requestToolCall({ requireApproval: true })),
      grantApproval({ amended: admitArguments('{"list":[1,{"deep":[2]}]}'), note: freeText('less') }),
    ],
    [
      'a finished call',
      planned,
      observeToolCall({ args: '{"list":[1]}', taskId: 't1', outcome: { error: { code: 'e', message: freeText('no') } } }),
    ],
    ['a plan', givenOpened(), activatePlan({ tasks: [taskPlan('t1'), taskPlan('t2', [{ id: 'c', kind: 'evidence', description: 'x' }])] })],
    ['a task', planned, addTask(taskPlan('t2'))],
    ['an attestation', planned, recordEvidence({ source: { kind: 'attestation', statement: freeText('seen') } })],
    [
      'an acceptance',
      played(givenOpened(), activatePlan({ tasks: [taskPlan('t1', [])] }), changeTask('start')),
      completeTask({}, { acceptance: freeText('seen') }),
    ],
  ];

  it.each(cases)('of %s: nothing that the caller still holds can change it', (_, given, built) => {
    // The builders share what they are made of.
    const command = structuredClone(built);
    const events: SessionEvent[] = decide(stateAfter(given.events), command, decisionContext({ principal: APPROVER, roles: ['approver'] }));
    const before = snapshotOf(events);
    scribble(command);
    expect(events.length).toBeGreaterThan(0);
    expect(snapshotOf(events)).toBe(before);
    expect(before).not.toContain('changed by the caller');
  });
});
