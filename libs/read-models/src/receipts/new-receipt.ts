import type { Association, Expectation, ReceiptDocument, Verification } from '@counterfoil/contracts';
import type { EventOf } from '../shared/events.js';

const verification = (state: Verification['state']): Verification => ({
  state,
  method: null,
  expected: null,
  before: null,
  after: null,
  change: null,
});

const UNOBSERVED = verification('unavailable');
/** For calls that ended without ever being dispatched (promise 19). */
export const NEVER_RAN = verification('not_applicable');

/**
 * Before any result nothing was observed; of a call that is to bring nothing about, a registered read_only tool's without a mapping,
 * nothing will be (promise 19). It stays so where no result ever comes.
 */
export const unobserved = (expectation: Expectation): Verification => (expectation.kind === 'not_applicable' ? NEVER_RAN : UNOBSERVED);

/** Key by key, so that the order is always the same (promise 26). */
function associationOf({ kind, taskId, basis }: Association): Association {
  return { kind, taskId, ...(basis === undefined ? {} : { basis }) };
}

/**
 * The receipt as its first event leaves it. Every later document is a copy of this one with values replaced, so that the order of its
 * keys, and with it its bytes, never depends on how it was folded (promise 26).
 */
export function newReceipt(event: EventOf<'ToolCallRequested'>): ReceiptDocument {
  const { data, metadata } = event;
  const imported = data.provenance.kind === 'imported';
  const position = event.position.toString();
  return {
    receiptId: data.receiptId,
    sessionId: data.sessionId,
    turn: data.turn,
    callId: data.callId,
    callIdSource: data.callIdSource,
    status: 'requested',
    operationId: data.operationId,
    tool: { source: data.tool.source, name: data.tool.name, version: data.tool.version, sideEffects: data.tool.sideEffects },
    taskId: data.taskId,
    reason: null,
    approval: null,
    attempt: null,
    leaseUntil: null,
    cancelRequested: false,
    amendedFrom: null,
    workspaceId: data.workspaceId,
    userId: data.userId,
    planId: data.planId,
    rootSessionId: data.rootSessionId,
    arguments: data.arguments,
    declared: data.tool.declared,
    result: null,
    outcome: null,
    verification: unobserved(data.expectation),
    association: associationOf(data.association),
    authorisation: { kind: imported ? 'recorded' : 'none', approvalId: null, by: null, recorded: null },
    policy: { version: data.policyVersion, reasons: data.approval.reasons.map(({ code, ruleId }) => ({ code, ruleId })) },
    amendment: null,
    times: {
      requested: metadata.recordedAt,
      occurred: metadata.occurredAt,
      dispatched: null,
      completed: null,
      reportedStart: null,
      reportedEnd: null,
    },
    lateResult: null,
    provenance: data.provenance,
    // Who imported a record is not who asked for the call.
    requestedBy: imported ? null : metadata.actor.principal,
    original: null,
    requestedPosition: position,
    endedPosition: null,
    revision: event.revision.toString(),
    position,
  };
}
