import { CanonicalError, canonicalText, operationId, receiptId, requestFingerprint } from '@counterfoil/canonical';
import { DomainError, type EventData, type Expectation, type KnownSecret, type Payload } from '@counterfoil/contracts';
import type { AskedCall, FreeInput } from '../commands.js';
import type { DecisionContext, RegisteredTool } from '../context.js';
import { expectationOf } from '../expectation.js';
import type { SessionIdentity, SessionState } from '../state.js';
import { isEligible } from '../task.js';
import { assignTool } from '../tool.js';
import { redact, refuseSecretIdentifiers } from './support.js';

/** A session takes so many calls (design §4). */
export const CALLS_PER_SESSION = 100_000;

/** What is recorded of a call that was asked for, however that became known. */
export interface Asked<K extends string> {
  readonly receiptId: string;
  readonly operation: string | null;
  readonly tool: RegisteredTool | null;
  /** The plan in whose task it is; null where no eligible task was named. */
  readonly planId: string | null;
  readonly payloads: Record<K | 'declared', Payload | null>;
  readonly arguments: Payload;
  readonly secrets: KnownSecret[];
}

/**
 * Takes a call in: redacts everything free in it (and what else stands in the same append), refuses identifiers that are secrets, finds
 * tool and plan.
 *
 * @param more further free inputs of the same append
 * @throws DomainError `session_closed`, `session_full`, `identifier_is_secret`
 */
export function askFor<K extends string>(
  state: SessionState,
  session: SessionIdentity,
  command: AskedCall,
  context: DecisionContext,
  more: Readonly<Record<K, FreeInput | null>>,
  identifiers: Readonly<Record<string, string | null>> = {},
): Asked<K> {
  if (state.closed) throw new DomainError('session_closed', 'The session takes no more calls.');
  if (state.calls >= CALLS_PER_SESSION) throw new DomainError('session_full', 'The session has taken all its calls.');
  const args = command.arguments;
  const { declared } = command.tool;
  const inputs: Record<string, FreeInput | null> = {
    ...more,
    arguments:
      args.ok || args.code !== 'arguments_not_json'
        ? { kind: 'json', text: args.text }
        : { kind: 'text', text: args.text, anomalies: ['not_json'] },
    declared: declared === null ? null : { kind: 'json', text: declared },
  };
  const { payloads, secrets } = redact(state, context, inputs);
  refuseSecretIdentifiers(context, [...state.known, ...secrets], {
    callId: command.callId,
    turn: command.turn,
    'tool.source': command.tool.source,
    'tool.name': command.tool.name,
    taskId: command.taskId,
    ...identifiers,
  });
  const { arguments: argumentsPayload } = payloads;
  if (argumentsPayload == null) throw new TypeError('the door gave no arguments back');
  return {
    receiptId: receiptIdOf(session, command),
    operation: operationOf(session, command, context),
    tool: context.registry.find(command.tool.source, command.tool.name),
    planId: eligiblePlan(state, command.taskId),
    // The keys are those that went in.
    payloads: payloads,
    arguments: argumentsPayload,
    secrets,
  };
}

/** The data of ToolCallRequested, with which every identified call begins (promise 6). */
export function requestedData(
  session: SessionIdentity,
  command: AskedCall,
  context: DecisionContext,
  asked: Asked<string>,
  said: Pick<EventData<'ToolCallRequested'>, 'approval' | 'requestFingerprint'> & { readonly expectation?: Expectation },
): EventData<'ToolCallRequested'> {
  const assigned = assignTool(command.tool, asked.tool);
  const isBound = asked.planId !== null && command.taskId !== null;
  return {
    receiptId: asked.receiptId,
    workspaceId: session.workspaceId,
    userId: session.userId,
    sessionId: session.sessionId,
    turn: command.turn,
    callId: command.callId,
    callIdSource: command.callIdSource,
    tool: { ...assigned.facts, declared: asked.payloads['declared'] ?? null },
    arguments: asked.arguments,
    operationId: asked.operation,
    association: isBound ? { kind: 'task', taskId: command.taskId } : { kind: 'none', taskId: null },
    planId: asked.planId,
    taskId: command.taskId,
    registryRevision: context.registry.revision,
    policyVersion: context.registry.policyVersion,
    rootSessionId: session.rootSessionId,
    duplicates: assigned.duplicates,
    successExitCodes: assigned.successExitCodes === null ? null : [...assigned.successExitCodes],
    expectation: expectedOf(command, context, asked.tool),
    secrets: asked.secrets,
    provenance: { kind: 'live' },
    ...said,
  };
}

/** What a call is to bring about; nothing is known of arguments that have no exact form. */
export function expectedOf(command: AskedCall, context: DecisionContext, tool: RegisteredTool | null): Expectation {
  return command.arguments.ok ? expectationOf(context.key, tool?.spec ?? null, command.arguments.canonical) : { kind: 'unavailable' };
}

/** The active plan, if the named task is a pending or running one of it (promise 14); null as well where no task is named. */
function eligiblePlan(state: SessionState, taskId: string | null): string | null {
  const task = taskId === null ? undefined : state.plan?.tasks.get(taskId);
  return state.plan !== null && task !== undefined && isEligible(task.status) ? state.plan.planId : null;
}

/** The receipt id that the request has, also before it is recorded. */
export function receiptIdOf(
  session: Pick<SessionIdentity, 'workspaceId' | 'sessionId'>,
  command: Pick<AskedCall, 'turn' | 'callId'>,
): string {
  return receiptId({ workspaceId: session.workspaceId, sessionId: session.sessionId, turn: command.turn, callId: command.callId });
}

function operationOf(session: SessionIdentity, command: AskedCall, context: DecisionContext): string | null {
  if (!command.arguments.ok) return null;
  return operationId(context.key, {
    workspaceId: session.workspaceId,
    userId: session.userId,
    sessionId: session.sessionId,
    tool: { source: command.tool.source, name: command.tool.name },
    canonicalArguments: command.arguments.canonical,
  });
}

/** What is compared when the same call is asked for again (promise 2). @throws DomainError `body_anomaly` */
export function fingerprintOf(command: AskedCall, context: DecisionContext, approval: { readonly expiresSeconds: number } | null): string {
  const args = command.arguments;
  return requestFingerprint(context.key, {
    callIdSource: command.callIdSource,
    tool: { source: command.tool.source, name: command.tool.name },
    declared: command.tool.declared === null ? null : canonicalDeclared(command.tool.declared),
    arguments: args.ok ? { canonical: args.canonical } : { raw: args.text },
    taskId: command.taskId,
    requireApproval: approval !== null,
    approvalExpiresSeconds: approval?.expiresSeconds ?? null,
  });
}

/** @throws DomainError `body_anomaly`: anywhere but in the arguments, what has no exact canonical form is a problem (promise 5) */
function canonicalDeclared(text: string): string {
  try {
    return canonicalText(text);
  } catch (error) {
    if (error instanceof CanonicalError)
      throw new DomainError('body_anomaly', '`tool.declared` has no exact canonical form, or nests too deeply.');
    throw error;
  }
}

/** True for what was said before. @throws DomainError `call_conflict` where the id was used for something else */
export function isRepeated(state: SessionState, id: string, fingerprint: string): boolean {
  const open = state.open.get(id);
  const ended = open === undefined ? state.ended.get(id) : null;
  if (open === undefined && ended === null) return false;
  if (open?.requestFingerprint === fingerprint || ended?.matchesRequest(fingerprint) === true) return true;
  throw new DomainError('call_conflict', 'This turn has another request under this call id.', { receiptId: id });
}
