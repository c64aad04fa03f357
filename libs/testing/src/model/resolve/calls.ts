import { admitArguments, sha256Hex } from '@counterfoil/canonical';
import type { FileState, ReportedRun } from '@counterfoil/session';
import { operationNamed } from '../reference/calls.js';
import type { Report } from '../reference/shapes.js';
import type { CommandStep, Naming, Reported } from '../steps.js';
import { ARGUMENTS, ATTEMPTS, EXIT_CODES, METHODS, OUTPUTS, STATUSES, TASKS, TOOLS, TURNS, type Found } from '../words.js';
import { AGENT, pick, placeOf, principalAt, sessionAt, WORKSPACE, type Resolved, type Surroundings } from './resolved.js';

type StepTo<T extends CommandStep['do']> = Extract<CommandStep, { readonly do: T }>;

const DIGESTS = { alpha: sha256Hex('alpha'), beta: sha256Hex('beta') };

/** As a runner sends it. */
export function fileState(found: Found): FileState {
  if (found === 'nothing') return { exists: false, sha256: null, bytes: null };
  return { exists: true, sha256: found === 'unread' ? null : DIGESTS[found], bytes: found === 'unread' ? 5 : found.length };
}

/** Ids c1, c2, …; a new one is the first that the turn has not had. */
function callIdOf(step: StepTo<'request' | 'observe'>, { reference }: Surroundings): number {
  if (step.id !== 'new') return step.id;
  const turn = pick(TURNS, step.turn);
  const calls = reference.sessions.get(sessionAt(step.session))?.calls ?? [];
  for (let id = 1; ; id++) if (!calls.some((call) => call.turn === turn && call.id === `c${id}`)) return id;
}

function reported({ status, exitCode, signal, output, found, method }: Reported): { readonly run: ReportedRun; readonly report: Report } {
  const said = { status: pick(STATUSES, status), exitCode: pick(EXIT_CODES, exitCode), signal };
  const run: ReportedRun = {
    outcome: { status: said.status, exitCode: said.exitCode, signal: signal ? 'SIGKILL' : null, isError: null, error: null },
    output: { kind: 'json', text: pick(OUTPUTS, output) },
    observation: found === null ? null : { ...fileState(found), method: pick(METHODS, method), observer: 'runtime' },
    startedAt: null,
    completedAt: null,
  };
  // How something was observed says nothing where nothing was.
  const content = JSON.stringify([said, output, found, found === null ? null : method]);
  return { run, report: { ...said, found, method: pick(METHODS, method), content } };
}

export function resolveAsked(step: StepTo<'request' | 'observe'>, around: Surroundings): Resolved {
  const n = callIdOf(step, around);
  const [turn, id] = [pick(TURNS, step.turn), `c${n}`];
  const { spellings, malformed } = pick(ARGUMENTS, step.args);
  const text = pick(spellings, step.spelling);
  const task = step.task === null ? null : pick(TASKS, step.task);
  const asked = {
    callId: id,
    callIdSource: 'native',
    turn,
    tool: { ...pick(TOOLS, step.tool), declared: null },
    arguments: admitArguments(text),
    taskId: task,
  } as const;
  const at = { session: sessionAt(step.session), principal: principalAt(step.by), roles: AGENT.roles };
  // Malformed arguments are compared by their text, all others by their value.
  const content = [step.do, step.tool, malformed === undefined ? step.args : text, task];
  const intent = { turn, id, by: at.principal, tool: step.tool, args: step.args, task };
  if (step.do === 'observe') {
    const { run, report } = reported(step.reported);
    return {
      ...at,
      intent: { do: 'observe', ...intent, asked: JSON.stringify([...content, report.content]), report },
      command: { type: 'ObserveToolCall', ...asked, ...run },
      pinned: { ...step, id: n },
    };
  }
  const approval = step.approval === null ? null : step.approval * 1000;
  return {
    ...at,
    intent: { do: 'request', ...intent, asked: JSON.stringify([...content, approval]), approval },
    command: { type: 'RequestToolCall', ...asked, requireApproval: approval !== null, approvalExpiresSeconds: step.approval ?? 900 },
    pinned: { ...step, id: n },
  };
}

/** What nobody ever requests. */
export const OTHER = 'another operation';

export function resolveDispatch(step: StepTo<'dispatch'>, around: Surroundings): Resolved {
  const { session, turn, id, receiptId, call, pinned } = placeOf(step.call, around.reference);
  const attempt = pick(ATTEMPTS, step.attempt);
  const own = call?.operation ?? operationNamed(0, 0);
  const named = nameOperation(step.naming, own, call?.amendedFrom ?? own);
  return {
    session,
    ...AGENT,
    intent: { do: 'dispatch', turn, id, attempt: attempt.toLowerCase(), named, before: step.before, lease: step.lease * 1000 },
    command: {
      type: 'DispatchToolCall',
      receiptId,
      attempt,
      named:
        'operation' in named ? { operationId: around.idOf(session, named.operation) } : { arguments: spelled(step.naming, named.args) },
      before: step.before === null ? null : fileState(step.before),
      leaseSeconds: step.lease,
    },
    pinned: { ...step, call: pinned },
  };
}

const spelled = (naming: Naming, args: number | null) =>
  admitArguments(args === null ? '{"a":1,"a":1}' : pick(pick(ARGUMENTS, args).spellings, naming === 'its arguments respelled' ? 1 : 0));

/** @param own what the call would run; of a call that nobody requested any operation */
function nameOperation(naming: Naming, own: string, requested: string): { operation: string } | { args: number | null } {
  const [tool = 0, args = 0] = own.split('/').map(Number);
  const otherArgs = args === 0 ? 1 : 0;
  switch (naming) {
    case 'its id':
      return { operation: own };
    case 'the id of what was requested':
      return { operation: requested };
    case 'the id of another':
      return { operation: operationNamed(tool, otherArgs) };
    case 'its arguments':
    case 'its arguments respelled':
      return { args };
    case 'the arguments of another':
      return { args: otherArgs };
    case 'malformed arguments':
      return { args: null };
  }
}

export function resolveOnCall(step: StepTo<'report' | 'cancel' | 'heartbeat'>, { reference }: Surroundings): Resolved {
  const { session, turn, id, receiptId, pinned } = placeOf(step.call, reference);
  const at = { session, ...AGENT, pinned: { ...step, call: pinned } };
  if (step.do === 'cancel')
    return { ...at, intent: { do: 'cancel', turn, id }, command: { type: 'CancelToolCall', receiptId, reason: null } };
  const attempt = pick(ATTEMPTS, step.attempt);
  const said = { turn, id, attempt: attempt.toLowerCase() };
  if (step.do === 'heartbeat') {
    const lease = step.lease === null ? null : step.lease * 1000;
    return {
      ...at,
      intent: { do: 'heartbeat', ...said, lease },
      command: { type: 'ExtendLease', receiptId, attempt, leaseSeconds: step.lease },
    };
  }
  const { run, report } = reported(step.reported);
  return { ...at, intent: { do: 'report', ...said, report }, command: { type: 'ReportResult', receiptId, attempt, ...run } };
}

export function resolveDecision(step: StepTo<'grant' | 'deny'>, around: Surroundings): Resolved {
  const { session, call, pinned } = placeOf(step.call, around.reference, (one) => one.approval !== null);
  const withApproval = (around.reference.sessions.get(session)?.calls ?? []).filter((one) => one.approval !== null);
  const n = call === undefined ? 99 : withApproval.indexOf(call);
  const approvalId = `apr_${session}_${n}`;
  const own = call?.operation ?? OTHER;
  const shown = { 'as it is': own, 'as it was requested': call?.amendedFrom ?? own, 'as another operation': OTHER };
  const at = { session, principal: principalAt(step.by), roles: ['approver'], pinned: { ...step, call: pinned } } as const;
  if (step.do === 'deny') {
    const operation = step.shown === null ? null : shown[step.shown];
    const operationId = operation === null ? null : around.idOf(session, operation);
    const intent = { do: 'deny', approval: n, by: at.principal, operation } as const;
    return { ...at, intent, command: { type: 'DenyApproval', approvalId, operationId, note: null } };
  }
  const operation = shown[step.shown];
  const amended = step.amended === null ? null : admitArguments(pick(pick(ARGUMENTS, step.amended).spellings, 0));
  return {
    ...at,
    intent: { do: 'grant', approval: n, by: at.principal, operation, amended: step.amended },
    command: { type: 'GrantApproval', approvalId, operationId: around.idOf(session, operation), amended, note: null },
  };
}

export function resolveSession(step: StepTo<'open' | 'close' | 'sweep'>, users: readonly string[]): Resolved {
  const session = sessionAt(step.session);
  const at = { session, ...AGENT, pinned: step };
  if (step.do === 'close') return { ...at, intent: { do: 'close' }, command: { type: 'CloseSession', reason: null } };
  if (step.do === 'sweep') return { ...at, principal: 'service:sweeper', intent: { do: 'sweep' }, command: { type: 'Sweep' } };
  const [user, agent] = [pick(users, step.user), step.agent ? 'tester' : null];
  return {
    ...at,
    intent: { do: 'open', user, agent },
    command: {
      type: 'OpenSession',
      workspaceId: WORKSPACE,
      sessionId: session,
      userId: user,
      agent,
      parent: null,
      parentRootSessionId: null,
    },
  };
}
