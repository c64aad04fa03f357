import type { EventData, SessionEvent } from '@counterfoil/contracts';
import { must, type CallEvent, type EventTo, type Recorded } from './must.js';
import type { WatchedTasks } from './tasks.js';

/** What the events of one call have said so far. */
export interface Watched {
  readonly requested: EventData<'ToolCallRequested'>;
  readonly requestedBy: string;
  readonly requestedAt: number;
  amended: EventData<'ToolCallAmended'> | null;
  dispatched: EventData<'ToolDispatched'> | null;
  dispatchedAt: number;
  leaseUntil: number;
  approval: { readonly id: string; operationId: string; readonly expires: number; state: string } | null;
  executed: EventData<'ToolExecuted'> | null;
  end: SessionEvent['type'] | null;
  endStatus: string | null;
  late: boolean;
}

const ENDS: Partial<Record<SessionEvent['type'], string>> = {
  ToolCallRejected: 'rejected',
  ApprovalDenied: 'denied',
  ApprovalExpired: 'expired',
  ToolCallCancelled: 'cancelled',
  ToolOutcomeLost: 'unknown',
};

/** Looks at what becomes of calls. */
export class WatchedCalls {
  readonly calls = new Map<string, Watched>();
  private readonly approvals = new Set<string>();
  private closed = false;

  constructor(private readonly tasks: WatchedTasks) {}

  sessionClosed(): void {
    must(!this.closed, 'a session is closed once');
    this.closed = true;
  }

  observe(event: CallEvent, recorded: Recorded): void {
    if (event.type === 'ToolCallRequested') {
      this.requested(event.data, recorded);
      return;
    }
    const call = this.calls.get(event.data.receiptId);
    must(call !== undefined, 'every call begins with its request (promise 6)');
    this.onCall(call, event, recorded);
    const status =
      event.type === 'ToolExecuted' ? event.data.outcome.status : event.type === 'ToolCallObserved' ? event.data.status : ENDS[event.type];
    if (status === undefined) return;
    call.end = event.type;
    call.endStatus = status;
  }

  private requested(data: EventData<'ToolCallRequested'>, { by, revision }: Recorded): void {
    must(!this.closed, 'a closed session takes no calls');
    must(!this.calls.has(data.receiptId), 'a call is requested once (promise 2)');
    const { kind, taskId } = data.association;
    if (kind === 'task') this.tasks.mustBeEligible(data.planId, taskId, 'a call is bound to a task that can be worked on (promise 14)');
    else must(kind === 'none' && taskId === null && data.planId === null, 'a call without an eligible task is bound to none (promise 13)');
    this.calls.set(data.receiptId, watched(data, by, revision));
  }

  private onCall(call: Watched, event: Exclude<CallEvent, { type: 'ToolCallRequested' }>, recorded: Recorded): void {
    must(call.end === null || event.type === 'LateResultRecorded', 'what has ended stays as it is (promise 9)');
    switch (event.type) {
      case 'ApprovalRequested':
        this.approvalRequested(call, event.data);
        return;
      case 'ToolCallAmended':
        this.amended(call, event.data, recorded);
        return;
      case 'ApprovalGranted':
      case 'ApprovalDenied':
        this.decided(call, event, recorded);
        return;
      case 'ApprovalExpired':
      case 'ApprovalVoided':
        undone(call, event, recorded.now);
        return;
      case 'ToolDispatched':
        this.dispatched(call, event.data, recorded);
        return;
      case 'LeaseExtended':
        extended(call, event.data, recorded.now);
        return;
      case 'ToolCallObserved':
        this.observed(call, event.data, recorded);
        return;
      case 'ToolExecuted':
        must(
          call.dispatched?.attempt.toLowerCase() === event.data.attempt.toLowerCase(),
          'only the attempt that runs a call reports on it',
        );
        call.executed = event.data;
        return;
      default:
        ended(call, event, recorded.now);
    }
  }

  private approvalRequested(call: Watched, data: EventData<'ApprovalRequested'>): void {
    must(call.approval === null && !this.approvals.has(data.approvalId), 'an approval is of one call');
    must(data.operationId === call.requested.operationId, 'an approval is about the operation that was requested (promise 8)');
    this.approvals.add(data.approvalId);
    call.approval = { id: data.approvalId, operationId: data.operationId, expires: Date.parse(data.expiresAt), state: 'pending' };
  }

  private amended(call: Watched, data: EventData<'ToolCallAmended'>, { by }: Recorded): void {
    must(call.approval?.state === 'pending' && call.amended === null, 'a call is amended once, while its approval is pending');
    must(
      data.from === call.requested.operationId && data.operationId !== data.from,
      'an amendment makes another operation of what was requested',
    );
    must(data.by === by, 'an amendment names its author');
    must(data.arguments.redactions.length === 0 && data.arguments.state === 'whole', 'edited arguments are stored whole (promise 8)');
    call.amended = data;
    call.approval.operationId = data.operationId;
  }

  private decided(call: Watched, event: EventTo<'ApprovalGranted' | 'ApprovalDenied'>, { now, by }: Recorded): void {
    const { approval } = call;
    must(approval?.state === 'pending', 'an approval is decided once');
    must(now < approval.expires, 'nothing is decided after the expiry (promise 7)');
    must(!this.closed, 'nothing is decided in a closed session');
    must(event.data.operationId === approval.operationId && event.data.by === by, 'the decision names its operation and its author');
    if (event.type === 'ApprovalGranted') must(by !== call.requestedBy, 'four eyes (promise 10)');
    approval.state = event.type === 'ApprovalGranted' ? 'granted' : 'denied';
  }

  private dispatched(call: Watched, data: EventData<'ToolDispatched'>, recorded: Recorded): void {
    must(call.dispatched === null, 'a call is dispatched at most once (promise 12)');
    must(!this.closed, 'nothing is dispatched in a closed session (promise 11)');
    must(data.operationId === (call.amended ?? call.requested).operationId, 'what was requested, or amended, is what runs (promise 8)');
    must(data.approvalId === (call.approval?.id ?? null), 'a dispatch consumes the approval of its call');
    if (call.approval !== null) {
      must(call.approval.state === 'granted', 'only a grant lets an operation run (promises 7, 9)');
      must(call.approval.operationId === data.operationId, 'what was granted is what runs (promise 8)');
      must(recorded.now < call.approval.expires, 'an approval is not consumed after its expiry (promise 7)');
      call.approval.state = 'consumed';
    } else {
      must(!call.requested.approval.required, 'what needs an approval does not run without one');
    }
    this.mustNotRepeat(call, data);
    mustBeAllowed(call, data, recorded);
    this.mustOutdate(call, data);
    call.dispatched = data;
    call.dispatchedAt = recorded.revision;
    call.leaseUntil = Date.parse(data.leaseUntil);
  }

  private mustNotRepeat(call: Watched, data: EventData<'ToolDispatched'>): void {
    const { duplicates, turn } = call.requested;
    if (duplicates === 'allow') return;
    for (const other of this.calls.values()) {
      const ran = other.dispatched?.operationId ?? (other.end === 'ToolCallObserved' ? other.requested.operationId : null);
      const isNear = duplicates === 'refuse_in_session' || other.requested.turn === turn;
      const mayHaveRun = [null, 'succeeded', 'unknown'].includes(other.endStatus);
      must(!(ran === data.operationId && isNear && mayHaveRun), 'an operation is not repeated (promise 12)');
    }
  }

  /** Its task, if it has one, can be worked on at this very revision; and the event says whose evidence it outdates. */
  private mustOutdate(call: Watched, data: EventData<'ToolDispatched'>): void {
    const { planId, taskId, tool } = call.requested;
    must(data.planId === planId && data.taskId === (planId === null ? null : taskId), 'a dispatch names the task of its call');
    if (planId !== null) this.tasks.mustBeEligible(planId, taskId, 'its task can still be worked on (promise 11)');
    const { expectation } = call.amended ?? call.requested;
    const isOwnCheck = expectation.kind === 'command' && this.tasks.hasCommand(taskId, expectation.fingerprint);
    const wanted = tool.sideEffects === 'read_only' || (planId !== null && isOwnCheck) ? 'nothing' : planId === null ? 'session' : 'task';
    must(data.outdates === wanted, `it outdates the evidence of its ${wanted} (promise 15)`);
  }

  private observed(call: Watched, data: EventData<'ToolCallObserved'>, { revision }: Recorded): void {
    const { requested } = call;
    must(revision === call.requestedAt + 1, 'an observed call is recorded in one append');
    must(
      call.approval === null && call.dispatched === null && !requested.approval.required,
      'an observed call is never authorised (promise 31)',
    );
    must(data.verification.state === 'unavailable', 'what was observed afterwards verifies nothing');
    const { planId, tool } = requested;
    // Whether it ran a check of its own task is not in the events.
    const wanted = tool.sideEffects === 'read_only' ? ['nothing'] : planId === null ? ['session'] : ['task', 'nothing'];
    must(wanted.includes(data.outdates ?? 'not said'), 'it outdates what a run would (promise 15)');
  }
}

/** The tool is as it was requested, the policy does not refuse it, and the event names the registry that was read (promises 10, 11). */
function mustBeAllowed(call: Watched, data: EventData<'ToolDispatched'>, { registry }: Recorded): void {
  const { source, name, sideEffects, specDigest } = call.requested.tool;
  must(source !== null, 'a live call has a tool with a source');
  const known = registry.find(source, name);
  must((known?.spec.specDigest ?? null) === specDigest, 'the tool is the one that was approved (promise 7)');
  const { then } = registry.judge({ source, name, sideEffects, known: known !== null });
  must(then !== 'refuse', 'what the policy refuses never runs (promise 10)');
  must(then !== 'require_approval' || call.approval !== null, 'what the policy wants approved was approved');
  must(data.registryRevision === registry.revision, 'a dispatch names the registry revision seen (promise 11)');
}

function ended(
  call: Watched,
  event: EventTo<'ToolOutcomeLost' | 'LateResultRecorded' | 'ToolCallRejected' | 'ToolCallCancelled' | 'CancelRequested'>,
  now: number,
): void {
  switch (event.type) {
    case 'ToolOutcomeLost':
      must(call.dispatched !== null && now >= call.leaseUntil, 'only a lease that is over makes an outcome unknown (promise 20)');
      return;
    case 'LateResultRecorded':
      must(
        !call.late && (call.end === 'ToolOutcomeLost' || call.end === 'ToolCallCancelled'),
        'one late result, of an unknown or cancelled call',
      );
      call.late = true;
      return;
    case 'CancelRequested':
      must(call.dispatched !== null, 'only what runs is asked to stop');
      return;
    default:
      must(call.dispatched === null, 'what was dispatched is neither rejected nor cancelled by the ledger');
      must(!isAlive(call), 'the approval of what ends is voided first');
  }
}

const watched = (requested: EventData<'ToolCallRequested'>, requestedBy: string, requestedAt: number): Watched => ({
  ...{ requested, requestedBy, requestedAt },
  amended: null,
  dispatched: null,
  dispatchedAt: -1,
  leaseUntil: 0,
  approval: null,
  executed: null,
  end: null,
  endStatus: null,
  late: false,
});

const isAlive = (call: Watched): boolean => call.approval !== null && ['pending', 'granted'].includes(call.approval.state);

function undone(call: Watched, event: EventTo<'ApprovalExpired' | 'ApprovalVoided'>, now: number): void {
  must(call.approval !== null && isAlive(call), 'only a live approval is undone');
  if (event.type === 'ApprovalExpired') must(now >= call.approval.expires, 'an approval expires at its time');
  else must(now < call.approval.expires, 'what has expired is not voided (promise 9)');
  call.approval.state = event.type === 'ApprovalExpired' ? 'expired' : 'voided';
}

function extended(call: Watched, data: EventData<'LeaseExtended'>, now: number): void {
  const until = Date.parse(data.leaseUntil);
  must(call.dispatched !== null && until > call.leaseUntil, 'a lease is only ever prolonged');
  must(until === now + data.leaseSeconds * 1000, 'a lease is as long as it says');
  call.leaseUntil = until;
}
