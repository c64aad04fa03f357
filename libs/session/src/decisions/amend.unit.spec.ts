import { admitArguments } from '@counterfoil/canonical';
import type { ToolDirectory } from '../context.js';
import {
  after,
  APPROVER,
  approvalIdFor,
  attemptOf,
  directoryOf,
  dispatchToolCall,
  givenOpened,
  grantApproval,
  operationIdFor,
  played,
  receiptIdFor,
  refolded,
  reportResult,
  requestToolCall,
  REQUESTER,
  SECOND_APPROVER,
  stateAfter,
  toolSpec,
  viewAfter,
  type GivenSession,
} from '@counterfoil/testing';

const EDITED = '{"path":"b.txt","content":"beta"}';
const FAKE_TOKEN = 'sk-FAKE1a2B3c4D5e6F7g8H';
const by = { principal: APPROVER };
const edited = (args = EDITED) => grantApproval({ amended: admitArguments(args) });

const waiting = played(givenOpened(), requestToolCall({ requireApproval: true }));
const amended = waiting.when(edited(), by).then(
  {
    type: 'ToolCallAmended',
    data: {
      receiptId: receiptIdFor(),
      approvalId: approvalIdFor(),
      from: operationIdFor(),
      operationId: operationIdFor(EDITED),
      by: APPROVER,
    },
  },
  { type: 'ApprovalGranted', data: { approvalId: approvalIdFor(), operationId: operationIdFor(EDITED), by: APPROVER } },
);

describe('a grant with edited arguments', () => {
  it('makes the call another operation and binds the approval to it, in one append (promise 8)', () => {
    expect(viewAfter(amended, receiptIdFor())).toMatchObject({
      status: 'approved',
      operationId: operationIdFor(EDITED),
      amendedFrom: operationIdFor(),
      approval: { state: 'granted', operationId: operationIdFor(EDITED) },
    });
    expect(stateAfter(amended.events).find(receiptIdFor())?.amendedArguments?.json).toBe(EDITED);
  });

  it('lets only the edited arguments run: what is shown, granted, dispatched and reported is one operation', () => {
    amended.when(dispatchToolCall()).thenRefused('operation_mismatch');
    amended.when(dispatchToolCall({ args: '{"path":"a.txt","content":"alpha"}' })).thenRefused('operation_mismatch');
    const running = amended
      .when(dispatchToolCall({ args: '{"content":"beta","path":"b.txt"}' }))
      .then({ type: 'ToolDispatched', data: { operationId: operationIdFor(EDITED), approvalId: approvalIdFor() } });
    running.when(dispatchToolCall({ operationId: operationIdFor(EDITED) })).thenNothing();
    running.when(reportResult()).then({ type: 'ToolExecuted' });
  });

  it('is the same again by the same approver, before the dispatch, in flight and after the end', () => {
    const running = played(amended, dispatchToolCall({ operationId: operationIdFor(EDITED) }));
    const ended = played(running, reportResult());
    for (const given of [amended, running, ended]) {
      given.when(edited(), by).thenNothing();
      given.when(grantApproval({ operationId: operationIdFor(EDITED) }), by).thenNothing();
      given.when(grantApproval(), by).thenRefused('operation_mismatch');
      given.when(edited('{"path":"c.txt","content":"beta"}'), by).thenRefused('operation_mismatch');
    }
    amended.when(edited(), { principal: SECOND_APPROVER }).thenRefused('approval_decided');
  });

  it('is not the same again, after the end, as a grant that edited nothing or something else', () => {
    const run = (given: GivenSession, args?: string) =>
      played(given, dispatchToolCall(args === undefined ? {} : { operationId: operationIdFor(args) }), reportResult());
    const plain = run(played(waiting, [grantApproval(), by]));
    plain.when(edited(), by).thenRefused('approval_decided');
    plain.when(edited('{ "content": "alpha", "path": "a.txt" }'), by).thenNothing();
    plain.when(edited('{'), by).thenRefused('amendment_invalid');
    const named = grantApproval({ operationId: operationIdFor(EDITED), amended: admitArguments('{"path":"c.txt","content":"beta"}') });
    run(amended, EDITED).when(named, by).thenRefused('operation_mismatch');
  });

  it('is refused to whoever requested the call, and after the expiry', () => {
    waiting.when(edited(), { principal: REQUESTER }).thenRefused('four_eyes');
    waiting.when(edited(), { ...by, ...after(900) }).thenRefused('approval_expired');
  });

  it('names the operation that was shown', () => {
    waiting
      .when(grantApproval({ amended: admitArguments(EDITED), operationId: operationIdFor(EDITED) }), by)
      .thenRefused('operation_mismatch');
  });

  it('is a plain grant where the arguments are the same in another spelling', () => {
    const given = waiting.when(edited('{ "content": "alpha", "path": "a.txt" }'), by).then({ type: 'ApprovalGranted' });
    expect(viewAfter(given, receiptIdFor())).toMatchObject({ amendedFrom: null, operationId: operationIdFor() });
  });

  it('cannot follow on a plain grant', () => {
    played(waiting, [grantApproval(), by]).when(edited(), by).thenRefused('approval_decided');
  });

  it.each([
    ['duplicate keys', '{"a":1,"a":2}', 'amendment_invalid'],
    ['no JSON', '{', 'amendment_invalid'],
    ['a secret', `{"path":"a","api_key":"${FAKE_TOKEN}"}`, 'amendment_needs_vault'],
    ['more than is stored whole', JSON.stringify({ content: 'x'.repeat(70_000) }), 'too_large_to_approve'],
  ])('takes no %s, and then leaves the approval as it was', (_, args, code) => {
    waiting.when(edited(args), by).thenRefused(code).when(edited(), by).then({ type: 'ToolCallAmended' }, { type: 'ApprovalGranted' });
  });

  it('needs the requested arguments whole and unredacted too', () => {
    const args = `{"path":"a","api_key":"${FAKE_TOKEN}"}`;
    const secret = played(givenOpened(), requestToolCall({ requireApproval: true, args }));
    const shown = grantApproval({ operationId: operationIdFor(args), amended: admitArguments(EDITED) });
    secret.when(shown, by).thenRefused('amendment_needs_vault');
    secret.when({ ...shown, amended: null }, by).then({ type: 'ApprovalGranted' });
  });

  it('is held to the tool’s input schema', () => {
    const registry = directoryOf({ tools: [toolSpec()], violation: '/properties/path: type' });
    const asked = played(givenOpened(), [requestToolCall({ requireApproval: true }), { registry: directoryOf({ tools: [toolSpec()] }) }]);
    asked.when(edited(), { ...by, registry }).thenRefused('amendment_invalid');
  });

  it('is refused when the tool was registered, changed or retired while it waited: another one is not the measure of it', () => {
    const [one, other] = [directoryOf({ tools: [toolSpec()] }), directoryOf({ tools: [toolSpec({ version: '2' })] })];
    const none = directoryOf({});
    const asked = played(givenOpened(), [requestToolCall({ requireApproval: true }), { registry: one }]);
    asked.when(edited(), { ...by, registry: other }).thenRefused('amendment_invalid');
    asked.when(edited(), { ...by, registry: none }).thenRefused('amendment_invalid');
    waiting.when(edited(), { ...by, registry: one }).thenRefused('amendment_invalid');
    asked.when(grantApproval(), { ...by, registry: other }).then({ type: 'ApprovalGranted' });
  });

  it('fixes anew what is expected, from the edited arguments', () => {
    const registry: ToolDirectory = directoryOf({ tools: [toolSpec()] });
    const given: GivenSession = played(
      givenOpened(),
      [requestToolCall({ requireApproval: true }), { registry }],
      [edited(), { ...by, registry }],
      [dispatchToolCall({ operationId: operationIdFor(EDITED) }), { registry }],
    );
    const observation = { exists: true, bytes: 4, method: 'content_digest', observer: 'runtime' };
    // SHA-256 of the four letters "beta", and of the five letters "alpha".
    const beta = 'f44e64e75f3948e9f73f8dfa94721c4ce8cbb4f265c4790c702b2d41cfbf2753';
    const alpha = '8ed3f6ad685b959ead7022518e1af76cd816f8e8ec7ccdda1ed4018e8f2223f8';
    given.when(reportResult({ observation: { ...observation, sha256: beta } })).then({ data: { verification: { state: 'verified' } } });
    given.when(reportResult({ observation: { ...observation, sha256: alpha } })).then({ data: { verification: { state: 'failed' } } });
  });

  it('does not change what was requested: the same request is still the same', () => {
    amended.when(requestToolCall({ requireApproval: true })).thenNothing();
    amended.when(requestToolCall({ requireApproval: true, args: EDITED })).thenRefused('call_conflict');
  });

  it('is folded again from its own events after the call has ended', () => {
    const ended = played(amended, dispatchToolCall({ operationId: operationIdFor(EDITED), attempt: attemptOf(1) }), reportResult());
    const call = refolded(stateAfter(ended.events), ended.events, receiptIdFor());
    expect(call).toMatchObject({ operationId: operationIdFor(EDITED), amendedFrom: operationIdFor(), status: 'succeeded' });
    expect(call?.amendedArguments?.json).toBe(EDITED);
  });
});
