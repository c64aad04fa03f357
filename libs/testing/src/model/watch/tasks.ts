import type { Criterion, EventData, SessionEvent } from '@counterfoil/contracts';
import type { Watched } from './calls.js';
import { must, type CallEvent, type EventTo } from './must.js';

interface WatchedTask {
  readonly criteria: readonly Criterion[];
  status: string;
  /** Revision of what last outdated its evidence, a reopening among it. */
  outdatedAt: number;
}

interface WatchedEvidence {
  readonly data: EventData<'EvidenceRecorded'>;
  readonly since: number;
}

/** The events of plans, tasks and evidence. */
export type TaskEvent = Exclude<SessionEvent, CallEvent | EventTo<'SessionOpened' | 'SessionClosed'>>;
type Transition = Exclude<TaskEvent, EventTo<'WorkingPlanActivated' | 'WorkingPlanClosed' | 'TaskAdded' | 'EvidenceRecorded'>>;

const FOLLOWS: Readonly<Record<Transition['type'], { readonly from: readonly string[]; readonly to: string }>> = {
  TaskStarted: { from: ['pending'], to: 'running' },
  TaskBlocked: { from: ['pending', 'running'], to: 'blocked' },
  TaskUnblocked: { from: ['blocked'], to: 'pending' },
  TaskSucceeded: { from: ['running'], to: 'succeeded' },
  TaskFailed: { from: ['pending', 'running', 'blocked'], to: 'failed' },
  TaskCancelled: { from: ['pending', 'running', 'blocked'], to: 'cancelled' },
  TaskReopened: { from: ['succeeded', 'failed', 'cancelled'], to: 'pending' },
};

/** Looks at what becomes of tasks: their states follow from the events of plans and tasks alone (promise 17). */
export class WatchedTasks {
  private plan: { readonly id: string; readonly tasks: Map<string, WatchedTask> } | null = null;
  private readonly plans = new Set<string>();
  private supersededBy: string | null = null;
  private readonly evidence = new Map<string, WatchedEvidence>();
  private outdatedAt = -1;

  /** States by task of the active plan. */
  get statuses(): Readonly<Record<string, string>> {
    return Object.fromEntries([...(this.plan?.tasks ?? [])].map(([id, { status }]) => [id, status]));
  }

  mustBeEligible(planId: string | null, taskId: string | null, what: string): void {
    const task = taskId === null ? undefined : this.plan?.tasks.get(taskId);
    must(this.plan !== null && this.plan.id === planId && task !== undefined && ['pending', 'running'].includes(task.status), what);
  }

  hasCommand(taskId: string | null, fingerprint: string): boolean {
    const criteria = (taskId === null ? undefined : this.plan?.tasks.get(taskId)?.criteria) ?? [];
    return criteria.some((criterion) => criterion.kind === 'command' && criterion.fingerprint === fingerprint);
  }

  /** A call ran, or was observed to have run. */
  ran({ outdates, planId, taskId }: { outdates: string; planId: string | null; taskId: string | null }, revision: number): void {
    if (outdates === 'session') this.outdatedAt = revision;
    const task = outdates === 'task' && this.plan?.id === planId && taskId !== null ? this.plan.tasks.get(taskId) : undefined;
    if (task !== undefined) task.outdatedAt = revision;
  }

  /** @param calls of the session, by receipt id */
  observe(event: TaskEvent, revision: number, calls: ReadonlyMap<string, Watched>): void {
    if (event.type === 'WorkingPlanActivated') {
      this.activated(event.data);
      return;
    }
    must(this.supersededBy === null, 'a plan is superseded and the other activated in one append');
    const { plan } = this;
    must(plan !== null && plan.id === event.data.planId, 'only of the active plan anything is recorded');
    switch (event.type) {
      case 'WorkingPlanClosed':
        this.supersededBy = event.data.cause === 'superseded' ? event.data.by : null;
        this.plan = null;
        return;
      case 'TaskAdded':
        must(!plan.tasks.has(event.data.task.taskId), 'a task id is used once in a plan');
        plan.tasks.set(event.data.task.taskId, newTask(event.data.task.criteria));
        return;
      case 'EvidenceRecorded':
        must(!this.evidence.has(event.data.evidenceId), 'an evidence id is used once in a session');
        must(plan.tasks.has(event.data.taskId), 'evidence is of a task of the plan');
        if (event.data.source.kind === 'receipt') mustProve(event.data, calls.get(event.data.source.receiptId));
        else must(event.data.since === null, 'what is no receipt rests on its own moment');
        this.evidence.set(event.data.evidenceId, { data: event.data, since: Number(event.data.since ?? revision) });
        return;
      default:
        this.changed(plan.tasks.get(event.data.taskId), event, revision);
    }
  }

  private activated({ planId, supersedes, tasks }: EventData<'WorkingPlanActivated'>): void {
    must(this.plan === null, 'one plan is active at a time');
    must(!this.plans.has(planId), 'a plan id is used once in a session');
    must(
      this.supersededBy === null ? supersedes === null : this.supersededBy === planId && supersedes !== null,
      'a plan names the one that it supersedes',
    );
    this.supersededBy = null;
    this.plans.add(planId);
    this.plan = { id: planId, tasks: new Map(tasks.map(({ taskId, criteria }) => [taskId, newTask(criteria)])) };
  }

  private changed(task: WatchedTask | undefined, event: Transition, revision: number): void {
    must(task !== undefined, 'what changes is a task of the plan');
    const { from, to } = FOLLOWS[event.type];
    must(from.includes(task.status), `${event.type} does not follow on ${task.status} (promise 16)`);
    if (event.type === 'TaskSucceeded') this.mustBeMet(task, event.data);
    if (event.type === 'TaskReopened') task.outdatedAt = revision;
    task.status = to;
  }

  /** Evidence for each criterion, one for one, that is about it and not stale (promise 15). */
  private mustBeMet(task: WatchedTask, { planId, taskId, met, acceptance }: EventData<'TaskSucceeded'>): void {
    must((task.criteria.length === 0) === (acceptance !== null), 'an acceptance stands for criteria where there are none');
    must(new Set(met.map(({ evidenceId }) => evidenceId)).size === met.length, 'each piece of evidence meets one criterion');
    must(met.length === task.criteria.length, 'each criterion is met by one piece of evidence');
    const receipts = met.flatMap(({ evidenceId }) => {
      const source = this.evidence.get(evidenceId)?.data.source;
      return source?.kind === 'receipt' ? [source.receiptId] : [];
    });
    must(new Set(receipts).size === receipts.length, 'one run meets one criterion, under however many ids it was recorded');
    for (const criterion of task.criteria) {
      const one = this.evidence.get(met.find(({ criterionId }) => criterionId === criterion.id)?.evidenceId ?? '');
      must(one !== undefined, 'each criterion is met by evidence that was recorded');
      const { data, since } = one;
      must(data.planId === planId && data.taskId === taskId, 'evidence proves its own task');
      must(data.criterionId === null || data.criterionId === criterion.id, 'evidence proves the criterion that it names');
      must(since >= Math.max(this.outdatedAt, task.outdatedAt), 'stale evidence proves nothing');
      mustMeet(criterion, data);
    }
  }
}

const newTask = (criteria: readonly Criterion[]): WatchedTask => ({ criteria, status: 'pending', outdatedAt: -1 });

/** A receipt proves something if its call was bound to the task, and its result came in time (promises 13, 15, 20). */
function mustProve({ planId, taskId, since, facts }: EventData<'EvidenceRecorded'>, call: Watched | undefined): void {
  must(call?.executed != null && call.dispatched !== null, 'a receipt proves something by a result that came in time (promise 20)');
  must(call.dispatched.planId === planId && call.dispatched.taskId === taskId, 'a receipt proves the task to which its call was bound');
  must(since === String(call.dispatchedAt), 'a receipt rests on the dispatch of its call');
  const { outcome, verification } = call.executed;
  const { expectation } = call.amended ?? call.requested;
  must(facts.status === outcome.status && facts.exitCode === outcome.exitCode, 'evidence says what the receipt says');
  must(facts.verification === verification.state, 'evidence says what was verified');
  must(
    facts.commandFingerprint === (expectation.kind === 'command' ? expectation.fingerprint : null),
    'evidence names the command that ran',
  );
}

function mustMeet(criterion: Criterion, { source, facts }: EventData<'EvidenceRecorded'>): void {
  switch (criterion.kind) {
    case 'command':
      must(
        source.kind === 'receipt' && facts.commandFingerprint === criterion.fingerprint,
        'a command is met by a run of exactly that command',
      );
      must(facts.status === 'succeeded' && facts.exitCode === 0, 'a command is met by a run that exited with 0');
      return;
    case 'effect':
      must(facts.pathFingerprint === criterion.pathFingerprint, 'an effect is met at its own path');
      must(facts.contentDigest === criterion.contentDigest, 'an effect is met by its own content');
      return;
    case 'attestation':
      must(source.kind === 'attestation' && source.by.startsWith('person:'), 'a person attests');
      must(source.roles.includes(criterion.role), 'who attests has the role');
      return;
    case 'evidence':
      must(source.kind !== 'receipt' || facts.status === 'succeeded', 'a failure proves nothing');
  }
}
