import { admitArguments, receiptId } from '@counterfoil/canonical';
import type { RequestToolCall, SessionCommand } from '../commands.js';
import type { Intent, Reference } from './reference.js';
import { approvalsOf } from './reference.js';
import {
  ARGUMENTS,
  ATTEMPTS,
  IDS,
  OUTPUTS,
  PRINCIPALS,
  SESSIONS,
  STATUSES,
  TOOLS,
  TURNS,
  USERS,
  type CallRef,
  type Naming,
  type Step,
} from './steps.js';

export const WORKSPACE = 'w1';

/** One command in both languages: as the reference understands it, and as the decider does. */
export interface Resolved {
  readonly session: string;
  readonly principal: string;
  readonly intent: Intent;
  readonly command: SessionCommand;
}

export type CommandStep = Exclude<Step, { readonly do: 'wait' | 'again' }>;

/** The reference's name of an operation: the tool and which of the arguments. */
export const operationNamed = (tool: number, args: number): string => `${tool}/${args}`;

function pick<T>(list: readonly T[], index: number): T {
  const item = list[index % list.length];
  if (item === undefined) throw new RangeError('nothing to pick from');
  return item;
}

interface Place {
  readonly session: string;
  readonly turn: string;
  readonly id: string;
  readonly receiptId: string;
}

function placeAt(session: string, turn: string, id: string): Place {
  return { session, turn, id, receiptId: receiptId({ workspaceId: WORKSPACE, sessionId: session, turn, callId: id }) };
}

/** The n-th of a list, counted round and round. */
const roundAt = <T>(list: readonly T[], n: number | null): T | undefined =>
  n === null || list.length === 0 ? undefined : list[n % list.length];

function placeOf(ref: CallRef, reference: Reference): Place {
  const session = pick(SESSIONS, ref.session);
  const call = roundAt(reference.sessions.get(session)?.calls ?? [], ref.nth);
  return placeAt(session, call?.turn ?? 'no turn', call?.id ?? 'no call');
}

/** Turns a step into a command, given what has been requested so far: steps speak of calls, and a dispatch of what they asked for. */
export function resolve(step: CommandStep, reference: Reference, operationIds: OperationIds): Resolved {
  switch (step.do) {
    case 'open':
    case 'close':
    case 'sweep':
      return resolveSession(step);
    case 'request':
      return resolveRequest(step);
    case 'grant':
    case 'deny':
      return resolveDecision(step, reference, operationIds);
    case 'dispatch':
      return resolveDispatch(step, reference, operationIds);
    default:
      return resolveOnCall(step, reference);
  }
}

function resolveSession(step: Extract<CommandStep, { do: 'open' | 'close' | 'sweep' }>): Resolved {
  const session = pick(SESSIONS, step.session);
  const at = { session, principal: pick(PRINCIPALS, 0) };
  if (step.do === 'close') return { ...at, intent: { do: 'close' }, command: { type: 'CloseSession', reason: null } };
  if (step.do === 'sweep') return { ...at, principal: 'service:sweeper', intent: { do: 'sweep' }, command: { type: 'Sweep' } };
  const [user, agent] = [pick(USERS, step.user), step.agent ? 'tester' : null];
  return {
    ...at,
    intent: { do: 'open', user, agent },
    command: { type: 'OpenSession', workspaceId: WORKSPACE, sessionId: session, userId: user, agent, parent: null },
  };
}

function resolveRequest(step: Extract<CommandStep, { do: 'request' }>): Resolved {
  const [session, turn, id] = [pick(SESSIONS, step.session), pick(TURNS, step.turn), pick(IDS, step.id)];
  const { spellings, malformed } = pick(ARGUMENTS, step.args);
  const text = pick(spellings, step.spelling);
  const principal = pick(PRINCIPALS, step.by);
  const command: RequestToolCall = {
    type: 'RequestToolCall',
    callId: id,
    callIdSource: 'native',
    turn,
    tool: { source: pick(TOOLS, step.tool), name: 'run', declared: null },
    arguments: admitArguments(text),
    taskId: step.task ? 'task-1' : null,
    requireApproval: step.approval !== null,
    approvalExpiresSeconds: step.approval ?? 900,
  };
  const operation = malformed === null ? operationNamed(step.tool, step.args) : null;
  // Malformed arguments are compared by their text, all others by their value.
  const asked = JSON.stringify([step.tool, operation ?? text, step.approval, step.task]);
  const approval = step.approval === null ? null : step.approval * 1000;
  const intent: Intent = {
    do: 'request',
    turn,
    id,
    by: principal,
    asked,
    tool: step.tool,
    operation,
    malformed,
    task: step.task,
    approval,
  };
  return { session, principal, intent, command };
}

export interface OperationIds {
  /** The id that the decider gave an operation of this session when it was requested, or one that is no operation's. */
  idOf(session: string, operation: string): string;
  wasRequested(session: string, operation: string): boolean;
}

/** What nobody ever requests. */
const OTHER = 'another operation';

function resolveDecision(step: Extract<CommandStep, { do: 'grant' | 'deny' }>, reference: Reference, ids: OperationIds): Resolved {
  const session = pick(SESSIONS, step.session);
  const principal = pick(PRINCIPALS, step.by);
  const known = reference.sessions.get(session);
  const withApproval = known === undefined ? [] : approvalsOf(known);
  const call = roundAt(withApproval, step.approval);
  const n = call === undefined ? 99 : withApproval.indexOf(call);
  const operation = step.shown === null ? null : step.shown ? (call?.operation ?? OTHER) : OTHER;
  const approvalId = `apr_${session}_${n}`;
  const intent: Intent = { do: step.do, approval: n, by: principal, operation };
  const operationId = operation === null ? null : ids.idOf(session, operation);
  if (step.do === 'deny') return { session, principal, intent, command: { type: 'DenyApproval', approvalId, operationId, note: null } };
  return {
    session,
    principal,
    intent,
    command: { type: 'GrantApproval', approvalId, operationId: operationId ?? ids.idOf(session, OTHER), note: null },
  };
}

function resolveDispatch(step: Extract<CommandStep, { do: 'dispatch' }>, reference: Reference, ids: OperationIds): Resolved {
  const place = placeOf(step.call, reference);
  const attempt = pick(ATTEMPTS, step.attempt);
  const call = reference.sessions.get(place.session)?.calls.find((one) => one.turn === place.turn && one.id === place.id);
  const byId = (name: string): NamedOperation => {
    const operation = ids.wasRequested(place.session, name) ? name : OTHER;
    return { naming: { operation }, named: { operationId: ids.idOf(place.session, operation) } };
  };
  const { naming, named } = nameOperation(step.naming, call?.operation ?? operationNamed(0, 0), byId);
  const lease = step.lease * 1000;
  const intent: Intent = { do: 'dispatch', turn: place.turn, id: place.id, attempt: attempt.toLowerCase(), named: naming, lease };
  const command: SessionCommand = {
    type: 'DispatchToolCall',
    receiptId: place.receiptId,
    attempt,
    named,
    before: null,
    leaseSeconds: step.lease,
  };
  return { session: place.session, principal: pick(PRINCIPALS, 0), intent, command };
}

type Named = Extract<SessionCommand, { type: 'DispatchToolCall' }>['named'];
interface NamedOperation {
  readonly naming: Extract<Intent, { do: 'dispatch' }>['named'];
  readonly named: Named;
}

/** @param own the operation that was requested; of a call that nobody requested any one */
function nameOperation(naming: Naming, own: string, byId: (operation: string) => NamedOperation): NamedOperation {
  const [tool = 0, args = 0] = own.split('/').map(Number);
  const otherArgs = args === 0 ? 1 : 0;
  const spelled = (index: number, spelling: number): NamedOperation => ({
    naming: { args: index },
    named: { arguments: admitArguments(pick(pick(ARGUMENTS, index).spellings, spelling)) },
  });
  switch (naming) {
    case 'its id':
      return byId(own);
    case 'its arguments':
      return spelled(args, 0);
    case 'its arguments respelled':
      return spelled(args, 1);
    case 'the id of another':
      return byId(operationNamed(tool, otherArgs));
    case 'the arguments of another':
      return spelled(otherArgs, 0);
    case 'malformed arguments':
      return { naming: { args: null }, named: { arguments: admitArguments('{"a":1,"a":1}') } };
  }
}

function resolveOnCall(step: Extract<CommandStep, { do: 'report' | 'cancel' | 'heartbeat' }>, reference: Reference): Resolved {
  const { session, turn, id, receiptId } = placeOf(step.call, reference);
  const at = { session, principal: pick(PRINCIPALS, 0) };
  if (step.do === 'cancel')
    return { ...at, intent: { do: 'cancel', turn, id }, command: { type: 'CancelToolCall', receiptId, reason: null } };
  const attempt = pick(ATTEMPTS, step.attempt);
  if (step.do === 'heartbeat') {
    const lease = step.lease === null ? null : step.lease * 1000;
    const intent: Intent = { do: 'heartbeat', turn, id, attempt: attempt.toLowerCase(), lease };
    return { ...at, intent, command: { type: 'ExtendLease', receiptId, attempt, leaseSeconds: step.lease } };
  }
  const [status, output] = [pick(STATUSES, step.status), pick(OUTPUTS, step.output)];
  return {
    ...at,
    intent: { do: 'report', turn, id, attempt: attempt.toLowerCase(), status, content: `${status} ${output}` },
    command: {
      type: 'ReportResult',
      receiptId,
      attempt,
      outcome: { status, exitCode: null, signal: null, isError: null, error: null },
      output: { kind: 'json', text: output },
      observation: null,
      startedAt: null,
      completedAt: null,
    },
  };
}
