import type { Duplicates, ToolSpec } from '@counterfoil/contracts';
import {
  after,
  APPROVER,
  approvalIdFor,
  attemptOf,
  directoryOf,
  dispatchToolCall,
  givenOpened,
  grantApproval,
  played,
  receiptIdFor,
  reportResult,
  requestToolCall,
  timeAfter,
  toolSpec,
  viewAfter,
  type Directed,
  type Play,
} from '@counterfoil/testing';

const REFUSE: Directed['verdict'] = { then: 'refuse', reasons: [{ code: 'policy_refuses', ruleId: 'no-writes' }] };
const DEMAND: Directed['verdict'] = {
  then: 'require_approval',
  reasons: [{ code: 'policy_requires_approval', ruleId: 'ask-first' }],
  expiresSeconds: 60,
};
const withTools = (...tools: readonly ToolSpec[]) => ({ registry: directoryOf({ tools }) });
const withVerdict = (verdict: Directed['verdict'], ...tools: readonly ToolSpec[]) => ({
  registry: directoryOf({ tools, ...(verdict && { verdict }) }),
});

describe('a call of a registered tool', () => {
  it('has its version, spec digest, class and rules, and nothing that the client declares', () => {
    const spec = toolSpec({ version: '2', sideEffects: 'remote', duplicates: 'allow', successExitCodes: [0, 1] });
    const declared = '{"sideEffects":"read_only","version":"9","parallelSafe":true}';
    const tool = { source: spec.source, name: spec.name, declared };
    givenOpened()
      .when(requestToolCall({ tool }), withTools(spec))
      .then({
        data: {
          tool: { version: '2', specDigest: spec.specDigest, sideEffects: 'remote', declared: { json: declared } },
          duplicates: 'allow',
          successExitCodes: [0, 1],
          registryRevision: '7',
          expectation: { kind: 'file_write' },
        },
      });
  });

  it('has version and source filled also when it is refused (row 79)', () => {
    givenOpened()
      .when(requestToolCall(), withVerdict(REFUSE, toolSpec()))
      .then({ data: { tool: { source: 'mcp:files', version: '1' } } }, { type: 'ToolCallRejected', data: { code: 'policy_refused' } });
  });

  it('against its input schema is recorded and rejected with its call id', () => {
    const registry = directoryOf({ tools: [toolSpec()], violation: '/properties/path: type' });
    const given = givenOpened()
      .when(requestToolCall(), { registry })
      .then(
        { type: 'ToolCallRequested', data: { callId: 'call_0' } },
        {
          type: 'ToolCallRejected',
          data: { code: 'arguments_schema_violation', detail: "Against the tool's input schema: /properties/path: type" },
        },
      );
    given.when(requestToolCall(), { registry }).thenNothing();
  });

  it('of a tool that is not registered is destructive and refuses duplicates in its turn', () => {
    givenOpened()
      .when(requestToolCall())
      .then({
        data: {
          tool: { version: null, specDigest: null, sideEffects: 'destructive' },
          duplicates: 'refuse_in_turn',
          registryRevision: null,
        },
      });
  });
});

describe('a tool that changes before the dispatch', () => {
  const requested = played(givenOpened(), [requestToolCall(), withTools(toolSpec())]);
  const unregistered = played(givenOpened(), requestToolCall());

  it('voids what was requested: another spec, none any more, or one now (promise 7, case 11)', () => {
    const rejected = { type: 'ToolCallRejected', data: { code: 'tool_changed' } };
    requested.when(dispatchToolCall(), withTools(toolSpec({ version: '2' }))).then(rejected);
    requested.when(dispatchToolCall(), withTools()).then(rejected);
    unregistered.when(dispatchToolCall(), withTools(toolSpec())).then(rejected);
    requested.when(dispatchToolCall(), withTools(toolSpec())).then({ type: 'ToolDispatched', data: { registryRevision: '7' } });
  });

  it('voids the approval with it', () => {
    const granted = played(
      givenOpened(),
      [requestToolCall({ requireApproval: true }), withTools(toolSpec())],
      [grantApproval(), { principal: APPROVER, ...withTools(toolSpec()) }],
    );
    granted
      .when(dispatchToolCall(), withTools(toolSpec({ effect: null })))
      .then({ type: 'ApprovalVoided', data: { code: 'tool_changed' } }, { type: 'ToolCallRejected', data: { code: 'tool_changed' } });
  });
});

describe('the policy', () => {
  it('refuses, and the receipt says which rule did', () => {
    givenOpened()
      .when(requestToolCall(), withVerdict(REFUSE))
      .then(
        { data: { policyVersion: 3, approval: { required: false, reasons: [{ code: 'policy_refuses', ruleId: 'no-writes' }] } } },
        { type: 'ToolCallRejected', data: { code: 'policy_refused', detail: 'The policy of the workspace refuses it, by no-writes.' } },
      );
  });

  it('demands an approval, of which it says how long it may take', () => {
    givenOpened()
      .when(requestToolCall(), withVerdict(DEMAND))
      .then(
        { data: { approval: { required: true, reasons: [{ code: 'policy_requires_approval', ruleId: 'ask-first' }] } } },
        { type: 'ApprovalRequested', data: { expiresAt: timeAfter(60), reasons: ['policy_requires_approval:ask-first'] } },
      );
  });

  it.each([
    [30, 60, 30],
    [900, 60, 60],
  ])('and a wish of the caller add up: the shorter of %d and %d seconds', (wished, ruled, expected) => {
    givenOpened()
      .when(requestToolCall({ requireApproval: true, approvalExpiresSeconds: wished }), withVerdict({ ...DEMAND, expiresSeconds: ruled }))
      .then(
        { data: { approval: { required: true, reasons: [{ code: 'requested' }, { code: 'policy_requires_approval' }] } } },
        {
          type: 'ApprovalRequested',
          data: { expiresAt: timeAfter(expected), reasons: ['requested', 'policy_requires_approval:ask-first'] },
        },
      );
  });

  it('is asked again at the dispatch, and can only restrict (promise 10)', () => {
    const requested = played(givenOpened(), requestToolCall());
    requested.when(dispatchToolCall(), withVerdict(REFUSE)).then({ type: 'ToolCallRejected', data: { code: 'policy_refused' } });
    requested.when(dispatchToolCall(), withVerdict(DEMAND)).then({ type: 'ToolCallRejected', data: { code: 'approval_required' } });
    const granted: Play[] = [requestToolCall({ requireApproval: true }), [grantApproval(), { principal: APPROVER }]];
    played(givenOpened(), ...granted)
      .when(dispatchToolCall(), withVerdict(DEMAND))
      .then({ type: 'ToolDispatched' });
    played(givenOpened(), ...granted)
      .when(dispatchToolCall(), withVerdict(REFUSE))
      .then({ type: 'ApprovalVoided' }, { type: 'ToolCallRejected', data: { code: 'policy_refused' } });
  });

  it('that refused once leads to no grant later: the call has ended', () => {
    const refused = played(givenOpened(), [requestToolCall(), withVerdict(REFUSE)]);
    refused.when(dispatchToolCall()).thenRefused('call_not_dispatchable');
    refused.when(grantApproval({ approvalId: approvalIdFor() }), { principal: APPROVER }).thenRefused('not_found');
    expect(viewAfter(refused, receiptIdFor()).status).toBe('rejected');
  });
});

describe('a repeated operation', () => {
  const again = { callId: 'again', turn: 'turn-2' };
  const second = dispatchToolCall({ receiptId: receiptIdFor('again', 'turn-2'), attempt: attemptOf(2) });
  const sameTurn = dispatchToolCall({ receiptId: receiptIdFor('same'), attempt: attemptOf(3) });

  it.each<[Duplicates, string, string]>([
    ['allow', 'ToolDispatched', 'ToolDispatched'],
    ['refuse_in_turn', 'ToolDispatched', 'ToolCallRejected'],
    ['refuse_in_session', 'ToolCallRejected', 'ToolCallRejected'],
  ])('of a tool with %s: in another turn %s, in the same one %s (promise 12)', (duplicates, elsewhere, here) => {
    const directory = withTools(toolSpec({ duplicates }));
    const plays: Play[] = [requestToolCall(), requestToolCall(again), requestToolCall({ callId: 'same' }), dispatchToolCall()].map(
      (command) => [command, directory],
    );
    const inFlight = played(givenOpened(), ...plays);
    const lost: Play = [{ type: 'Sweep' }, after(60)];
    for (const given of [inFlight, played(inFlight, reportResult()), played(inFlight, lost)]) {
      given.when(second, directory).then({ type: elsewhere });
      given.when(sameTurn, directory).then({ type: here });
    }
    const failed = played(inFlight, reportResult({ outcome: { status: 'failed' } }));
    failed.when(second, directory).then({ type: 'ToolDispatched' });
  });
});
