import { builder } from './builder.js';
import { SESSION, USER, WORKSPACE } from './scope.js';
import { attemptOf, digestOf, outcomeOf, payloadOf, receiptNamed, verificationOf } from './values.js';

export { REGISTRY_STREAM, SESSION, STREAM, USER, WORKSPACE } from './scope.js';

/** The call that the builders' events are about. */
export const RECEIPT = receiptNamed('call-0');
export const APPROVAL = `apr_${SESSION}_1`;
export const OPERATION = digestOf('operation-0');
export const ATTEMPT = attemptOf(1);

const ofCall = { receiptId: RECEIPT };
const ofApproval = { receiptId: RECEIPT, approvalId: APPROVAL, operationId: OPERATION };
const free = { reason: null, secrets: [] };

const reported = {
  receiptId: RECEIPT,
  attempt: ATTEMPT,
  outcome: outcomeOf('succeeded'),
  result: payloadOf('done'),
  observation: null,
  times: { startedAt: '2027-01-01T08:00:00Z', completedAt: '2027-01-01T08:00:01Z' },
  resultFingerprint: digestOf('result-0'),
  secrets: [],
};

export const sessionOpened = builder('SessionOpened', {
  workspaceId: WORKSPACE,
  sessionId: SESSION,
  userId: USER,
  agent: 'tester',
  parent: null,
  rootSessionId: SESSION,
  fingerprintKeyId: 'k1',
});

export const sessionClosed = builder('SessionClosed', free);

export const toolCallRequested = builder('ToolCallRequested', {
  receiptId: RECEIPT,
  workspaceId: WORKSPACE,
  userId: USER,
  sessionId: SESSION,
  turn: 'turn-1',
  callId: 'call_0',
  callIdSource: 'native',
  tool: { source: 'mcp:files', name: 'write_file', version: null, specDigest: null, sideEffects: 'destructive', declared: null },
  arguments: payloadOf({ path: 'a.txt', content: 'alpha' }),
  operationId: OPERATION,
  requestFingerprint: digestOf('request-0'),
  association: { kind: 'none', taskId: null },
  planId: null,
  taskId: null,
  approval: { required: false, reasons: [] },
  registryRevision: null,
  policyVersion: null,
  rootSessionId: SESSION,
  duplicates: 'refuse_in_turn',
  successExitCodes: null,
  expectation: { kind: 'unavailable' },
  secrets: [],
  provenance: { kind: 'live' },
});

export const toolCallRejected = builder('ToolCallRejected', {
  ...ofCall,
  code: 'arguments_not_json',
  detail: 'It is no JSON.',
  attempt: null,
});

export const approvalRequested = builder('ApprovalRequested', {
  ...ofApproval,
  userId: USER,
  expiresAt: '2027-01-01T00:15:00.000Z',
  reasons: ['requested'],
});

export const approvalGranted = builder('ApprovalGranted', { ...ofApproval, by: 'person:approver', note: null, secrets: [] });

export const approvalDenied = builder('ApprovalDenied', { ...ofApproval, by: 'person:approver', note: payloadOf('not now'), secrets: [] });

export const approvalExpired = builder('ApprovalExpired', { ...ofApproval, expiresAt: '2027-01-01T00:15:00.000Z', attempt: null });

export const approvalVoided = builder('ApprovalVoided', { ...ofApproval, code: 'session_closed' });

/** By whoever grants it next. */
export const toolCallAmended = builder('ToolCallAmended', {
  ...ofApproval,
  operationId: digestOf('operation-amended'),
  from: OPERATION,
  arguments: payloadOf({ path: 'a.txt', content: 'edited' }),
  expectation: { kind: 'unavailable' },
  by: 'person:approver',
  secrets: [],
});

export const toolDispatched = builder('ToolDispatched', {
  ...ofCall,
  attempt: ATTEMPT,
  operationId: OPERATION,
  approvalId: null,
  registryRevision: null,
  planId: null,
  taskId: null,
  outdates: 'session',
  before: null,
  leaseSeconds: 60,
  leaseUntil: '2027-01-01T00:01:00.000Z',
  secrets: [],
});

export const leaseExtended = builder('LeaseExtended', {
  ...ofCall,
  attempt: ATTEMPT,
  leaseSeconds: 60,
  leaseUntil: '2027-01-01T00:02:00.000Z',
});

export const toolExecuted = builder('ToolExecuted', { ...reported, verification: verificationOf('unavailable') });

export const lateResultRecorded = builder('LateResultRecorded', { ...reported, result: payloadOf('late') });

export const cancelRequested = builder('CancelRequested', { ...ofCall, ...free });

export const toolCallCancelled = builder('ToolCallCancelled', { ...ofCall, ...free, cause: 'requested' });

export const toolOutcomeLost = builder('ToolOutcomeLost', { ...ofCall, attempt: ATTEMPT, leaseUntil: '2027-01-01T00:01:00.000Z' });

export const toolCallObserved = builder('ToolCallObserved', {
  ...ofCall,
  status: 'succeeded',
  outcome: outcomeOf('succeeded'),
  recorded: { authorized: true, failure: null },
  result: payloadOf('alpha'),
  verification: verificationOf('unavailable'),
  times: { startedAt: '2026-08-20T09:15:00.123456+00:00', completedAt: '2026-08-20T09:15:00.654321+00:00' },
  original: null,
});

/** Of a finished call that was reported live, as it is stored. */
export const liveCallObserved = (data: Parameters<typeof toolCallObserved>[0] = {}): ReturnType<typeof toolCallObserved> => {
  const observed = toolCallObserved({ recorded: { authorized: null, failure: null }, outdates: 'session', ...data });
  const { original: _original, ...rest } = observed.data;
  return { type: observed.type, data: { planId: null, taskId: null, ...rest } };
};

/** As it is stored; every read path upcasts it (see importedPair). */
export const historicalReceiptImported = builder('HistoricalReceiptImported', {
  workspaceId: WORKSPACE,
  receiptId: RECEIPT,
  recordKey: 'record-0',
  importRun: 'run-0',
  format: 'openkyrozen',
  generation: '1',
  surface: 'event',
  coordinates: {},
  original: payloadOf({}),
  contentDigest: digestOf('content-0'),
  argumentsFidelity: [],
  fingerprint: 'not_recomputable',
  anomalies: [],
});
