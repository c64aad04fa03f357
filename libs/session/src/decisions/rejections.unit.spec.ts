import { readFileSync } from 'node:fs';
import type { ToolSpec } from '@counterfoil/contracts';
import {
  activatePlan,
  attemptOf,
  changeTask,
  closePlan,
  directoryOf,
  dispatchToolCall,
  freeText,
  givenOpened,
  givenSession,
  operationIdFor,
  played,
  receiptIdFor,
  REQUESTER,
  reportResult,
  requestToolCall,
  sessionClosed,
  stateAfter,
  taskPlan,
  toolSpec,
  viewAfter,
  type Directed,
  type GivenSession,
  type RequestChange,
} from '@counterfoil/testing';

const CALL_ID = '호출 \u202e1';
const asked = (change: RequestChange = {}) => requestToolCall({ callId: CALL_ID, ...change });
const RECEIPT = receiptIdFor(CALL_ID);
const SECOND = { receiptId: RECEIPT, attempt: attemptOf(2) };

/** The tool is known in all of them, so that what the receipt says of it shows. */
const knowing = (directed: Directed = {}, spec: Partial<ToolSpec> = {}) => ({
  registry: directoryOf({ tools: [toolSpec({ version: '3', ...spec })], ...directed }),
});
const REFUSE: Directed = { verdict: { then: 'refuse', reasons: [{ code: 'policy_refuses', ruleId: 'never' }] } };
const DEMAND: Directed = { verdict: { then: 'require_approval', reasons: [{ code: 'policy_requires_approval', ruleId: 'ask' }] } };

const atRequest = (change: RequestChange, directed: Directed = {}): GivenSession =>
  played(givenOpened(), [asked(change), knowing(directed)]);

/** The call is requested, something happens, and then it is to be dispatched. */
function atDispatch(given: GivenSession, context = knowing()): GivenSession {
  return played(given, [dispatchToolCall({ ...SECOND, operationId: operationIdFor() }), context]);
}
const requested = (given: GivenSession = givenOpened(), change: RequestChange = {}): GivenSession =>
  played(given, [asked(change), knowing()]);
const bound = (): GivenSession => requested(played(givenOpened(), activatePlan({ tasks: [taskPlan('t1', [])] })), { taskId: 't1' });

function repeated(): GivenSession {
  const first = { receiptId: receiptIdFor('first') };
  return requested(played(givenOpened(), [requestToolCall({ callId: 'first' }), knowing()], [dispatchToolCall(first), knowing()]));
}

/** As if the session had been closed with more calls than one append ends. */
function closed(): GivenSession {
  return givenSession(...requested().events, { ...sessionClosed(), principal: REQUESTER });
}

/** A call rejected with each code that there is, at the request or at the dispatch. */
const REJECTED: Readonly<Record<string, () => GivenSession>> = {
  arguments_not_json: () => atRequest({ args: '{"cut' }),
  arguments_duplicate_key: () => atRequest({ args: '{"a":1,"\\u0061":2}' }),
  arguments_lone_surrogate: () => atRequest({ args: '"\\udfff"' }),
  arguments_number_out_of_range: () => atRequest({ args: '-1e999' }),
  arguments_integer_not_exact: () => atRequest({ args: '[9007199254740993]' }),
  arguments_too_deep: () => atRequest({ args: `${'['.repeat(257)}${']'.repeat(257)}` }),
  arguments_too_large: () => atRequest({ args: `"${'x'.repeat(4 * 1024 * 1024)}"` }),
  task_not_eligible: () => atRequest({ taskId: 't9' }),
  policy_refused: () => atRequest({}, REFUSE),
  arguments_schema_violation: () => atRequest({}, { violation: '/required' }),
  too_large_to_approve: () => atRequest({ args: `{"text":"${'x'.repeat(70_000)}"}`, requireApproval: true }),
  session_closed: () => atDispatch(closed()),
  plan_not_active: () => atDispatch(played(bound(), closePlan())),
  tool_changed: () => atDispatch(requested(), knowing({}, { version: '4' })),
  approval_required: () => atDispatch(requested(), knowing(DEMAND)),
  duplicate_operation: () => atDispatch(repeated()),
};

/** Those that a dispatch finds although the request was fine. */
const FOUND_LATER: Readonly<Record<string, () => GivenSession>> = {
  task_not_eligible: () => atDispatch(played(bound(), changeTask('cancel'))),
  policy_refused: () => atDispatch(requested(), knowing(REFUSE)),
};

const all = [...Object.entries(REJECTED), ...Object.entries(FOUND_LATER)];

function ofCall(given: GivenSession): GivenSession['events'] {
  return given.events.filter(({ data }) => 'receiptId' in data && data.receiptId === RECEIPT);
}

describe('a rejection', () => {
  it('has every code that docs/errors.md lists, and no other', () => {
    const page = readFileSync(new URL('../../../../docs/errors.md', import.meta.url), 'utf8');
    const section = page.split('## Recorded rejections')[1]?.split('\n## ')[0] ?? '';
    const listed = [...section.matchAll(/^\| ([a-z_]+) +\| (?:request|dispatch)/gm)].map(([, code]) => code);
    expect(Object.keys(REJECTED).sort()).toEqual(listed.sort());
  });

  it.each(all)('with %s is one receipt, with the call id, the scope and the tool as it was known', (code, given) => {
    const events = ofCall(given());
    expect(events.map(({ type }) => type)).toEqual(['ToolCallRequested', 'ToolCallRejected']);
    expect(events).toMatchObject([
      {
        data: {
          callId: CALL_ID,
          callIdSource: 'native',
          turn: 'turn-1',
          workspaceId: 'w1',
          userId: 'u1',
          sessionId: 's1',
          rootSessionId: 's1',
          tool: { source: 'mcp:files', name: 'write_file', version: '3', sideEffects: 'filesystem' },
          registryRevision: '7',
        },
      },
      { data: { code } },
    ]);
    expect(viewAfter(given(), RECEIPT)).toMatchObject({ callId: CALL_ID, status: 'rejected', reason: { code }, attempt: null });
  });

  it.each(all)('with %s lets nothing run, however often one asks or what is reported', (_code, given) => {
    const rejected = given();
    const again = { receiptId: RECEIPT, attempt: attemptOf(5) };
    rejected.when(dispatchToolCall(again), knowing()).thenRefused('call_not_dispatchable');
    rejected.when(reportResult({ ...again, output: freeText('it ran') })).thenRefused('call_not_dispatched');
    expect(stateAfter(rejected.events).find(RECEIPT)).toMatchObject({ status: 'rejected' });
  });
});
