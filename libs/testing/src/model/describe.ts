import type { CallRef, CommandStep, EvidenceSourceStep, Reported, Step } from './steps.js';
import {
  ARGUMENTS,
  CRITERIA,
  CRITERION_IDS,
  EXIT_CODES,
  METHODS,
  OUTPUTS,
  PLAN_CONTENTS,
  PLANS,
  POLICIES,
  PRINCIPALS,
  REASONS,
  ROLES,
  SESSIONS,
  SPECS,
  STATUSES,
  TASKS,
  TOOLS,
  TURNS,
  USERS,
} from './words.js';

const at = (list: readonly string[], index: number): string => list[index] ?? '?';
const inSession = (index: number): string => at(SESSIONS, index);
const who = (by: number): string => at(PRINCIPALS, by);
const since = (reason: number): string => (REASONS[reason] == null ? '' : `, because "${REASONS[reason]}"`);
const toolAt = (index: number): string => `${TOOLS[index]?.source ?? '?'}/${TOOLS[index]?.name ?? '?'}`;

function argumentsAt(index: number, spelling = 0): string {
  const text = ARGUMENTS[index]?.spellings[spelling] ?? '?';
  return text.length > 200 ? `${text.slice(0, 60)}… (${text.length} characters)` : text;
}

function call(ref: CallRef): string {
  if ('id' in ref) return `${inSession(ref.session)}/${ref.turn}/${ref.id}`;
  if (ref.nth === null) return `no call of ${inSession(ref.session)}`;
  const of = ref.ofItsTask === true ? `the task in ${inSession(ref.session)}` : inSession(ref.session);
  return `${ref.nth === 0 ? 'the newest call' : `the newest call but ${ref.nth}`} of ${of}`;
}

function reported({ status, exitCode, signal, output, found, method }: Reported): string {
  const code = EXIT_CODES[exitCode] ?? null;
  const parts = [
    at(STATUSES, status),
    ...(code === null ? [] : [`exit ${code}`]),
    ...(signal ? ['a signal'] : []),
    ...(found === null ? [] : [`found ${found} by ${at(METHODS, method)}`]),
    at(OUTPUTS, output),
  ];
  return parts.join(', ');
}

function asked(step: Extract<CommandStep, { do: 'request' | 'observe' }>): string {
  const place = `${inSession(step.session)}/${at(TURNS, step.turn)}/${step.id === 'new' ? 'a new id' : `c${step.id}`}`;
  const task = step.task === null ? '' : ` for ${at(TASKS, step.task)}`;
  return `${place}${task}: ${toolAt(step.tool)} ${argumentsAt(step.args, step.spelling)}`;
}

function source(of: EvidenceSourceStep, by: string, roles: number): string {
  switch (of.kind) {
    case 'receipt':
      return `by the receipt of ${call(of.call)}`;
    case 'observation':
      return `by finding ${of.found} at ${of.path} by ${at(METHODS, of.method)}`;
    case 'attestation':
      return `by the word of ${by} as ${ROLES[roles]?.join(' and ') ?? '?'}${since(of.statement)}`;
  }
}

/** One line of a script as a person reads it. */
export function describeStep(step: Step): string {
  switch (step.do) {
    case 'wait':
      return `wait ${step.seconds} s`;
    case 'again':
      return 'of' in step ? `again: ${describeStep(step.of)}` : `the command of ${step.back} before again`;
    case 'register':
      return `register ${toolAt(step.tool)} as ${JSON.stringify(SPECS[step.tool]?.[step.spec])}`;
    case 'retire':
      return `retire ${toolAt(step.tool)}`;
    case 'policy':
      return `set the policy ${JSON.stringify(POLICIES[step.policy])}`;
    case 'open':
      return `open ${inSession(step.session)} for ${at(USERS, step.user)}${step.agent ? ' with an agent' : ''}`;
    case 'close':
    case 'sweep':
      return `${step.do} ${inSession(step.session)}`;
    case 'request':
      return `${who(step.by)} requests ${asked(step)}${step.approval === null ? '' : `, approval within ${step.approval} s`}`;
    case 'observe':
      return `${who(step.by)} observed ${asked(step)}, ${reported(step.reported)}`;
    case 'dispatch': {
      const before = step.before === null ? '' : `, found ${step.before}`;
      return `dispatch ${call(step.call)} by ${step.naming}, attempt ${step.attempt}, lease ${step.lease} s${before}`;
    }
    case 'report':
      return `report ${call(step.call)}: ${reported(step.reported)}, attempt ${step.attempt}`;
    case 'cancel':
      return `cancel ${call(step.call)}`;
    case 'heartbeat':
      return `heartbeat of ${call(step.call)}, attempt ${step.attempt}, lease ${step.lease ?? 'the same'}`;
    case 'grant': {
      const edited = step.amended === null ? '' : `, amended to ${argumentsAt(step.amended)}`;
      return `${who(step.by)} grants ${call(step.call)} ${step.shown}${edited}`;
    }
    case 'deny':
      return `${who(step.by)} denies ${call(step.call)} ${step.shown ?? 'without naming it'}`;
    default:
      return describePlanning(step);
  }
}

type Planning = Extract<CommandStep, { do: 'activate' | 'close plan' | 'add task' | 'change' | 'complete' | 'evidence' }>;

function describePlanning(step: Planning): string {
  const session = inSession(step.session);
  switch (step.do) {
    case 'activate': {
      const tasks = (PLAN_CONTENTS[step.content] ?? []).map(([task, criteria]) => taskWith(task, criteria));
      return `activate ${step.plan === 'new' ? 'a new plan' : at(PLANS, step.plan)} in ${session}${step.title ? ' with a title' : ''}: ${tasks.join('; ') || 'no tasks'}`;
    }
    case 'close plan':
      return `close ${step.plan === 'the active one' ? step.plan : at(PLANS, step.plan)} of ${session}`;
    case 'add task':
      return `add to ${session}: ${taskWith(step.task, step.criteria)}`;
    case 'change':
      return `${step.change} ${at(TASKS, step.task)} of ${session}${since(step.reason)}`;
    case 'complete': {
      const met = typeof step.met === 'string' ? step.met : step.met.map((pair) => pair.join(' by ')).join(', ') || 'nothing';
      return `complete ${at(TASKS, step.task)} of ${session}: ${met}${since(step.acceptance)}`;
    }
    case 'evidence': {
      const criterion = step.criterion === null ? '' : `/${at(CRITERION_IDS, step.criterion)}`;
      const id = step.id === 'new' ? 'new evidence' : `e${step.id}`;
      return `${id} of ${session} for ${at(TASKS, step.task)}${criterion} ${source(step.source, who(step.by), step.roles)}`;
    }
  }
}

function taskWith(task: number, criteria: number): string {
  const accepted = (CRITERIA[criteria] ?? []).map((criterion) => {
    switch (criterion.kind) {
      case 'command':
        return `${criterion.id} ${JSON.stringify(criterion.command)} in ${criterion.cwd ?? 'no directory'} by ${toolAt(criterion.tool)}`;
      case 'effect':
        return `${criterion.id} ${criterion.content} at ${criterion.path}`;
      case 'evidence':
        return `${criterion.id} in words`;
      case 'attestation':
        return `${criterion.id} by an ${criterion.role}`;
    }
  });
  return `${at(TASKS, task)} (${accepted.join(', ') || 'no criteria'})`;
}
