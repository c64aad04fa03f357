import type { PlannedCriterion } from '../words.js';
import type { IntentTo } from './intents.js';
import { taskOf } from './plans.js';
import { sideEffectsOf } from './registry.js';
import {
  ACCEPTED,
  SAME,
  type Answer,
  type Call,
  type Evidence,
  type Moment,
  type Plan,
  type Said,
  type Session,
  type Task,
} from './shapes.js';

export function recordEvidence(session: Session, intent: IntentTo<'evidence'>, { count }: Moment): Said {
  const before = session.evidence.find(({ id }) => id === intent.id);
  if (before !== undefined) return before.content === intent.content ? SAME : 'evidence_conflict';
  const found = taskOf(session, intent.task);
  if (typeof found === 'string') return found;
  const { plan, task } = found;
  if (session.closed) return 'session_closed';
  if (['succeeded', 'failed', 'cancelled'].includes(task.status)) return 'task_state';
  const { criterion } = intent;
  if (criterion !== null && !task.criteria.some(({ id }) => id === criterion)) return 'evidence_unusable unknown_criterion';
  const source = sourceOf(session, plan, task, intent);
  if (typeof source === 'string') return source;
  const since = source.kind === 'receipt' ? (source.call.ran ?? count) : count;
  session.evidence.push({ id: intent.id, content: intent.content, plan: plan.id, task: task.id, criterion, source, since });
  return ACCEPTED;
}

function sourceOf(session: Session, plan: Plan, task: Task, { source, by, roles }: IntentTo<'evidence'>): Evidence['source'] | Said {
  if (source.kind === 'observation') return source;
  if (source.kind === 'attestation') return by.startsWith('person:') ? { kind: 'attestation', roles } : 'attestation_needs_person';
  const call = source.isOfSession ? session.calls.find(({ turn, id }) => turn === source.turn && id === source.id) : undefined;
  if (call === undefined) return 'not_found';
  if (call.isObserved) return 'evidence_unusable observed';
  if (call.outcome === null) return 'evidence_unusable call_not_reported';
  return call.plan === plan.id && call.task === task.id ? { kind: 'receipt', call } : 'evidence_unusable not_bound';
}

/** Later runs may have undone what it shows, or the task was reopened (promise 15). */
export function isStale(session: Session, plan: Plan, task: Task, evidence: Evidence): boolean {
  const mayUndo = (call: Call): boolean => {
    if (call.ran === null || call.ran <= evidence.since || sideEffectsOf(call.spec) === 'read_only') return false;
    if (call.plan === null) return true;
    return call.plan === plan.id && call.task === task.id && !task.criteria.some((criterion) => runs(call, criterion));
  };
  return session.calls.some(mayUndo) || task.reopened.some((at) => at > evidence.since);
}

/** Exactly that command, in exactly that directory. */
function runs({ runs: expected }: Call, criterion: PlannedCriterion): boolean {
  return (
    criterion.kind === 'command' &&
    expected.kind === 'command' &&
    expected.tool === criterion.tool &&
    expected.command === JSON.stringify(criterion.command) &&
    expected.cwd === (criterion.cwd ?? null)
  );
}

export function complete(session: Session, intent: IntentTo<'complete'>): Answer {
  const found = taskOf(session, intent.task);
  if (typeof found === 'string') return found;
  const { plan, task } = found;
  const { met, acceptance } = intent;
  const content = JSON.stringify(['complete', [...met].sort(), acceptance]);
  if (task.last === content) return SAME;
  if (session.closed) return 'session_closed';
  if (task.status !== 'running') return 'task_state';
  const unmet = new Map<string, string[]>();
  for (const [id] of met) if (!task.criteria.some((criterion) => criterion.id === id)) unmet.set(id, ['unknown_criterion']);
  for (const criterion of task.criteria) {
    const faults = faultsOf(session, plan, task, criterion, met);
    if (faults.length > 0) unmet.set(criterion.id, faults);
  }
  if (task.criteria.length === 0 && acceptance === null) unmet.set('', ['acceptance_missing']);
  if (task.criteria.length > 0 && acceptance !== null) unmet.set('', ['acceptance_not_needed']);
  if (unmet.size > 0) return unmet;
  task.status = 'succeeded';
  task.last = content;
  task.met = met;
  return ACCEPTED;
}

/** The same evidence, or another record of the same run. */
function isSamePiece(session: Session, plan: Plan, one: string, other: string): boolean {
  const callOf = (id: string): object | null => {
    const source = session.evidence.find((evidence) => evidence.id === id && evidence.plan === plan.id)?.source;
    return source?.kind === 'receipt' ? source.call : null;
  };
  return one === other || (callOf(one) !== null && callOf(one) === callOf(other));
}

/** Everything that keeps what was named from meeting the criterion. */
function faultsOf(session: Session, plan: Plan, task: Task, criterion: PlannedCriterion, met: IntentTo<'complete'>['met']): string[] {
  const named = met.filter(([id]) => id === criterion.id);
  if (named.length === 0) return ['missing'];
  const faults: string[] = [];
  if (named.length > 1) faults.push('used_twice');
  for (const [, id] of named) {
    const evidence = session.evidence.find((one) => one.id === id && one.plan === plan.id);
    if (met.filter((other) => isSamePiece(session, plan, other[1], id)).length > 1) faults.push('used_twice');
    if (evidence === undefined) {
      faults.push('unknown_evidence');
      continue;
    }
    if (evidence.task !== task.id) faults.push('other_task');
    if (evidence.criterion !== null && evidence.criterion !== criterion.id) faults.push('other_criterion');
    if (isStale(session, plan, task, evidence)) faults.push('stale');
    faults.push(...contentFaults(criterion, evidence));
  }
  return faults;
}

function contentFaults(criterion: PlannedCriterion, { source }: Evidence): string[] {
  switch (criterion.kind) {
    case 'command':
      if (source.kind !== 'receipt') return ['not_a_receipt'];
      return [
        ...(source.call.expected.kind === 'command' ? [] : ['not_a_command']),
        ...(runs(source.call, criterion) ? [] : ['command_differs']),
        ...(source.call.status === 'succeeded' ? [] : ['not_succeeded']),
        ...(source.call.outcome?.exitCode === 0 ? [] : ['exit_status']),
      ];
    case 'effect':
      return effectFaults(criterion, source);
    case 'evidence':
      if (source.kind !== 'receipt') return [];
      return [
        ...(source.call.status === 'succeeded' ? [] : ['not_succeeded']),
        ...(source.call.outcome?.verified.state === 'failed' ? ['not_verified'] : []),
      ];
    case 'attestation':
      if (source.kind !== 'attestation') return ['not_attested'];
      return source.roles.includes(criterion.role) ? [] : ['role_missing'];
  }
}

function effectFaults({ path, content }: Extract<PlannedCriterion, { kind: 'effect' }>, source: Evidence['source']): string[] {
  if (source.kind === 'attestation') return ['not_verified'];
  if (source.kind === 'observation') {
    const isContent = source.method === 'content_digest' && (source.found === 'alpha' || source.found === 'beta');
    return [
      ...(source.path === path ? [] : ['path_differs']),
      ...(isContent ? [] : ['not_verified']),
      ...(source.found === content ? [] : ['content_differs']),
    ];
  }
  const { expected, outcome } = source.call;
  if (expected.kind !== 'file') return ['not_verified'];
  return [
    ...(expected.path === path ? [] : ['path_differs']),
    ...(outcome?.verified.state === 'verified' ? [] : ['not_verified']),
    ...(expected.content === content ? [] : ['content_differs']),
  ];
}
