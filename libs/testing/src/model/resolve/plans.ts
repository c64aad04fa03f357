import { sha256Hex } from '@counterfoil/canonical';
import type { CriterionBody } from '@counterfoil/contracts';
import type { FreeInput, RecordEvidence, TaskPlan } from '@counterfoil/session';
import type { IntentTo, Planned } from '../reference/intents.js';
import { activePlan, type Call, type Evidence, type Session, type Task } from '../reference/shapes.js';
import type { CommandStep, NamedEvidence } from '../steps.js';
import { CRITERIA, CRITERION_IDS, METHODS, PLAN_CONTENTS, PLANS, REASONS, ROLES, TASKS, TOOLS, type PlannedCriterion } from '../words.js';
import { fileState } from './calls.js';
import { AGENT, pick, placeOf, principalAt, sessionAt, type Resolved, type Surroundings } from './resolved.js';

type StepTo<T extends CommandStep['do']> = Extract<CommandStep, { readonly do: T }>;

const free = (text: string | null): FreeInput | null => (text === null ? null : { kind: 'text', text });

function body(criterion: PlannedCriterion): CriterionBody {
  switch (criterion.kind) {
    case 'command': {
      const { id, command, cwd } = criterion;
      const line = typeof command === 'string' ? command : [...command];
      return { id, kind: 'command', tool: pick(TOOLS, criterion.tool), command: line, ...(cwd === undefined ? {} : { cwd }) };
    }
    case 'effect':
      return { id: criterion.id, kind: 'effect', path: criterion.path, sha256: sha256Hex(criterion.content) };
    case 'evidence':
      return { id: criterion.id, kind: 'evidence', description: 'it looks well' };
    case 'attestation':
      return { id: criterion.id, kind: 'attestation', role: criterion.role };
  }
}

function plannedTask(task: number, criteria: number): { readonly planned: Planned; readonly plan: TaskPlan } {
  const [id, accepted] = [pick(TASKS, task), pick(CRITERIA, criteria)];
  return {
    planned: { id, criteria: accepted, content: `${id} ${criteria}` },
    plan: { taskId: id, title: `task ${id}`, description: null, criteria: accepted.map(body) },
  };
}

type OfPlan = StepTo<'activate' | 'close plan' | 'add task' | 'change' | 'complete' | 'evidence'>;

export function resolveOfPlan(step: OfPlan, around: Surroundings): Resolved {
  const session = sessionAt(step.session);
  const at = { session, ...AGENT, pinned: step };
  switch (step.do) {
    case 'activate': {
      const tasks = pick(PLAN_CONTENTS, step.content).map(([task, criteria]) => plannedTask(task, criteria));
      const n = step.plan === 'new' ? unusedOf(around.reference.sessions.get(session)) : step.plan;
      const [plan, title] = [pick(PLANS, n), step.title ? 'a plan' : null];
      return {
        ...at,
        intent: { do: 'activate', plan, content: `${step.content} ${title ?? ''}`, tasks: tasks.map(({ planned }) => planned) },
        command: { type: 'ActivatePlan', planId: plan, title, tasks: tasks.map((task) => task.plan) },
        pinned: { ...step, plan: n },
      };
    }
    case 'close plan': {
      const n = step.plan === 'the active one' ? activeOf(around.reference.sessions.get(session)) : step.plan;
      const plan = pick(PLANS, n);
      return {
        ...at,
        intent: { do: 'close plan', plan },
        command: { type: 'ClosePlan', planId: plan, reason: null },
        pinned: { ...step, plan: n },
      };
    }
    case 'add task': {
      const { planned, plan } = plannedTask(step.task, step.criteria);
      return { ...at, intent: { do: 'add task', task: planned }, command: { type: 'AddTask', task: plan } };
    }
    case 'change': {
      const [task, reason] = [pick(TASKS, step.task), pick(REASONS, step.reason)];
      return {
        ...at,
        intent: { do: 'change', task, change: step.change, content: JSON.stringify([step.change, reason]) },
        command: { type: 'ChangeTask', taskId: task, change: step.change, reason: free(reason) },
      };
    }
    case 'complete':
      return resolveCompletion(step, around);
    case 'evidence':
      return resolveEvidence(step, around);
  }
}

/** The first that the session has not had; where it has had all, the last. */
function unusedOf(session: Session | undefined): number {
  const n = PLANS.findIndex((id) => session?.plans.some((plan) => plan.id === id) !== true);
  return n < 0 ? PLANS.length - 1 : n;
}

/** Where none is active, the first. */
function activeOf(session: Session | undefined): number {
  const id = session === undefined ? undefined : activePlan(session)?.id;
  return Math.max(
    0,
    PLANS.findIndex((plan) => plan === id),
  );
}

function resolveCompletion(step: StepTo<'complete'>, { reference }: Surroundings): Resolved {
  const session = sessionAt(step.session);
  const [taskId, acceptance] = [pick(TASKS, step.task), pick(REASONS, step.acceptance)];
  const known = reference.sessions.get(session);
  const met = typeof step.met === 'string' ? namedEvidence(step.met, known, taskId) : step.met;
  return {
    session,
    ...AGENT,
    intent: { do: 'complete', task: taskId, met, acceptance },
    command: {
      type: 'CompleteTask',
      taskId,
      met: met.map(([criterionId, evidenceId]) => ({ criterionId, evidenceId })),
      acceptance: free(acceptance),
    },
    pinned: { ...step, met },
  };
}

type Met = IntentTo<'complete'>['met'];

/** Pairs of criterion and evidence. */
function namedEvidence(how: NamedEvidence, session: Session | undefined, taskId: string): Met {
  const plan = session === undefined ? undefined : activePlan(session);
  const task = plan?.tasks.find(({ id }) => id === taskId);
  if (session === undefined || task === undefined) return [];
  const newest = newestOfEach(task, session.evidence.filter((one) => one.plan === plan?.id && one.task === taskId).reverse());
  const [first = ['c1', 'e99']] = newest;
  switch (how) {
    case 'the newest of each':
      return newest;
    case 'none':
      return [];
    case 'all but one':
      return newest.slice(1);
    case 'one for all':
      return [...task.criteria.map(({ id }) => [id, first[1]] as const), [first[0], 'e98']];
    case 'the oldest of any task':
      return task.criteria.map(({ id }, n) => [id, session.evidence[n]?.id ?? 'e99']);
    case 'those of each other':
      return newest.map(([id], n) => [id, newest[(n + 1) % newest.length]?.[1] ?? 'e99']);
    case 'one for a criterion that is not there':
      return [...newest, ['c9', 'e99']];
    case 'one that is not there':
      return [...newest.slice(1), [first[0], 'e99']];
  }
}

/** @param evidence of the task, newest first: what was recorded for the criterion before what was recorded for none */
function newestOfEach(task: Task, evidence: readonly Evidence[]): Met {
  const used = new Set<Evidence>();
  return task.criteria.flatMap(({ id }) => {
    const own =
      evidence.find((one) => one.criterion === id && !used.has(one)) ?? evidence.find((one) => one.criterion === null && !used.has(one));
    if (own === undefined) return [];
    used.add(own);
    return [[id, own.id] as const];
  });
}

function resolveEvidence(step: StepTo<'evidence'>, around: Surroundings): Resolved {
  const session = sessionAt(step.session);
  const n = step.id === 'new' ? (around.reference.sessions.get(session)?.evidence.length ?? 0) + 1 : step.id;
  const taskId = pick(TASKS, step.task);
  const criterion = step.criterion === null ? null : pick(CRITERION_IDS, step.criterion);
  const { by, roles } = { by: principalAt(step.by), roles: pick(ROLES, step.roles) };
  const { source, intended, pinned } = sourceOf(step, around, taskId);
  const said = { id: `e${n}`, task: taskId, criterion, by, roles };
  // Of an attestation it is part of what is said who says it.
  const content = JSON.stringify([taskId, criterion, intended, 'statement' in source ? [by, source.statement] : null]);
  return {
    session,
    principal: by,
    roles,
    intent: { do: 'evidence', ...said, content, source: intended },
    command: { type: 'RecordEvidence', evidenceId: said.id, taskId, criterionId: criterion, source },
    pinned: { ...step, id: n, source: pinned },
  };
}

interface SourceInBoth {
  readonly source: RecordEvidence['source'];
  readonly intended: IntentTo<'evidence'>['source'];
  readonly pinned: StepTo<'evidence'>['source'];
}

function sourceOf(step: StepTo<'evidence'>, { reference }: Surroundings, taskId: string): SourceInBoth {
  const { source } = step;
  switch (source.kind) {
    case 'receipt': {
      const ref = source.call;
      const ofItsTask = 'nth' in ref && ref.ofItsTask === true;
      const isMeant = (call: Call): boolean => !ofItsTask || (call.plan !== null && call.task === taskId);
      const { session, turn, id, receiptId, pinned } = placeOf(ref, reference, isMeant);
      const isOfSession = session === sessionAt(step.session);
      return {
        source: { kind: 'receipt', receiptId },
        intended: { kind: 'receipt', turn, id, isOfSession },
        pinned: { kind: 'receipt', call: pinned },
      };
    }
    case 'observation': {
      const { path, found } = source;
      const method = pick(METHODS, source.method);
      return {
        source: { kind: 'observation', path, state: fileState(found), method, observer: 'runtime' },
        intended: { kind: 'observation', path, found, method },
        pinned: source,
      };
    }
    case 'attestation':
      return {
        source: { kind: 'attestation', statement: free(pick(REASONS, source.statement)) },
        intended: { kind: 'attestation' },
        pinned: source,
      };
  }
}
