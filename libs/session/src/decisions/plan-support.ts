import { DomainError, type Criterion, type CriterionBody, type KnownSecret, type Payload, type PlannedTask } from '@counterfoil/contracts';
import { fileDigest } from '@counterfoil/canonical';
import type { FreeInput, TaskPlan } from '../commands.js';
import type { DecisionContext } from '../context.js';
import { commandFingerprint, pathFingerprint, saidFingerprint } from '../fingerprints.js';
import { plannedActionOf } from '../legacy/actions.js';
import { argsFingerprint, flattened } from '../legacy/argument-text.js';
import type { SessionState } from '../state.js';
import type { ActivePlan, Task } from '../task.js';
import { redact, refuseSecretIdentifiers, requireSession } from './support.js';

/** So many plans a session takes, and so many pieces of evidence. */
export const PLANS_PER_SESSION = 1000;
export const EVIDENCE_PER_SESSION = 20_000;
/** Bytes that the words of all tasks of one event share, so that it stays under its 256 KiB. */
const DETAILS_BYTES = 128 * 1024;
const LEAST_DETAILS_BYTES = 512;

/**
 * The session's active plan.
 *
 * @param planId the plan that the caller means, if it says so: a command that was meant for another one does nothing to this
 * @throws DomainError `not_found`, `plan_not_active`
 */
export function requirePlan(state: SessionState, planId: string | null | undefined): ActivePlan {
  requireSession(state);
  if (state.plan === null) throw new DomainError('plan_not_active', 'No plan is active in this session.');
  if (planId != null && planId !== state.plan.planId) throw new DomainError('plan_not_active', 'Another plan is active in this session.');
  return state.plan;
}

/** A task of the active plan. @throws DomainError `not_found`, `plan_not_active` */
export function requireTask(
  state: SessionState,
  { planId, taskId }: { readonly planId?: string | null; readonly taskId: string },
): { readonly plan: ActivePlan; readonly task: Task } {
  const plan = requirePlan(state, planId);
  const task = plan.tasks.get(taskId);
  if (task === undefined) throw new DomainError('not_found', 'There is no such task in the active plan.');
  return { plan, task };
}

/** @throws DomainError `session_closed` */
export function requireOpen(state: SessionState): void {
  if (state.closed) throw new DomainError('session_closed', 'The session was closed.');
}

/**
 * Tasks as events hold them: words redacted and bounded, criteria by what they are compared with.
 *
 * @param title of the plan, if there is one: it goes through the door together with the tasks
 * @throws DomainError `identifier_is_secret`
 */
export function planTasks(
  state: SessionState,
  context: DecisionContext,
  tasks: readonly TaskPlan[],
  title: string | null,
): { readonly tasks: PlannedTask[]; readonly title: Payload | null; readonly secrets: KnownSecret[] } {
  const limit = Math.max(LEAST_DETAILS_BYTES, Math.floor(DETAILS_BYTES / (tasks.length + 1)));
  const inputs: Record<string, FreeInput | null> = { title: title === null ? null : { kind: 'text', text: title } };
  // Numbered, since a task may be called anything, `title` too.
  tasks.forEach((task, at) => {
    inputs[`task ${String(at)}`] = { kind: 'json', text: storedWordsOf(context, task) };
  });
  const limits = Object.fromEntries(Object.keys(inputs).map((name) => [name, limit]));
  const { payloads, secrets } = redact(state, context, inputs, limits);
  const known = [...state.known, ...secrets];
  refuseSecretIdentifiers(context, known, Object.assign({}, ...tasks.map(identifiersOf)) as Record<string, string>);
  const planned = tasks.map((task, at): PlannedTask => {
    const details = payloads[`task ${String(at)}`];
    if (details == null) throw new TypeError('the door gave no words back');
    const criteria = task.criteria.map((criterion) => toCriterion(context, criterion));
    return { taskId: task.taskId, details, criteria, fingerprint: taskFingerprint(context, task), ...contractOf(context, task) };
  });
  return { tasks: planned, title: payloads['title'] ?? null, secrets };
}

/** What a task says, keyed: the same task again is recognised by it. */
export function taskFingerprint(context: DecisionContext, task: TaskPlan): string {
  return saidFingerprint(context.key, ['task', task.taskId, wordsOf(task)]);
}

/** What stands in the event: digests of content keyed, since a plain one could be used to guess it (promise 4). */
function storedWordsOf({ key }: DecisionContext, task: TaskPlan): string {
  const criteria = task.criteria.map((criterion) => {
    if (criterion.kind !== 'effect') return criterion;
    const { sha256, ...words } = criterion;
    return { ...words, digest: fileDigest(key, sha256) };
  });
  return JSON.stringify({ title: task.title, description: task.description, criteria, ...saidContract(task) });
}

const wordsOf = (task: TaskPlan): string =>
  JSON.stringify({ title: task.title, description: task.description, criteria: task.criteria, ...saidContract(task) });

/** Nothing for a task without one: its fingerprint is what it always was. */
const saidContract = ({ contract }: TaskPlan): object =>
  contract == null ? {} : { contract: { action: contract.action, args: contract.args } };

/** The contract as it is compared (libs/session/src/legacy): an empty argument text is none. */
function contractOf({ key }: DecisionContext, { contract }: TaskPlan): Pick<PlannedTask, 'contract'> {
  if (contract == null) return {};
  const { action, args = '' } = contract;
  return {
    contract: { action: plannedActionOf(action), argsFingerprint: flattened(args) === '' ? null : argsFingerprint(key, args) },
  };
}

function identifiersOf(task: TaskPlan, number: number): Record<string, string> {
  const place = `tasks.${String(number)}`;
  const identifiers: Record<string, string> = { [`${place}.taskId`]: task.taskId };
  if (task.contract != null) identifiers[`${place}.contract.action`] = task.contract.action;
  task.criteria.forEach((criterion, at) => {
    const field = `${place}.criteria.${String(at)}`;
    identifiers[`${field}.id`] = criterion.id;
    if (criterion.kind !== 'command') return;
    identifiers[`${field}.tool.source`] = criterion.tool.source;
    identifiers[`${field}.tool.name`] = criterion.tool.name;
  });
  return identifiers;
}

function toCriterion({ key }: DecisionContext, criterion: CriterionBody): Criterion {
  const { id } = criterion;
  switch (criterion.kind) {
    case 'command': {
      const { tool, command, cwd } = criterion;
      const fingerprint = commandFingerprint(key, { tool, command, cwd: cwd ?? null });
      return { id, kind: 'command', tool: { source: tool.source, name: tool.name }, fingerprint };
    }
    case 'effect':
      return {
        id,
        kind: 'effect',
        pathFingerprint: pathFingerprint(key, criterion.path),
        contentDigest: fileDigest(key, criterion.sha256),
      };
    case 'evidence':
      return { id, kind: 'evidence' };
    case 'attestation':
      return { id, kind: 'attestation', role: criterion.role };
  }
}
