import type { EventData, SessionEvent } from '@counterfoil/contracts';

/** What the events of one call have said so far. */
interface Watched {
  readonly requested: EventData<'ToolCallRequested'>;
  readonly requestedBy: string;
  dispatched: EventData<'ToolDispatched'> | null;
  leaseUntil: number;
  approval: { readonly id: string; readonly operationId: string; readonly expires: number; state: string } | null;
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

/** Looks at the events of one session as they are recorded, and throws where one of them breaks a promise. Knows no decider and no model. */
export class Watch {
  private readonly calls = new Map<string, Watched>();
  private readonly approvals = new Set<string>();
  private closed = false;

  observe(event: SessionEvent, now: number, principal: string): void {
    if (event.type === 'SessionOpened') return;
    if (event.type === 'SessionClosed') {
      must(!this.closed, 'a session is closed once');
      this.closed = true;
      return;
    }
    if (event.type === 'ToolCallRequested') {
      must(!this.closed, 'a closed session takes no calls');
      must(!this.calls.has(event.data.receiptId), 'a call is requested once (promise 2)');
      this.calls.set(event.data.receiptId, watched(event.data, principal));
      return;
    }
    const call = this.calls.get(event.data.receiptId);
    if (call === undefined) throw new Error('every call begins with its request (promise 6)');
    this.onCall(call, event, now, principal);
    const status = event.type === 'ToolExecuted' ? event.data.outcome.status : ENDS[event.type];
    if (status === undefined) return;
    call.end = event.type;
    call.endStatus = status;
  }

  private onCall(
    call: Watched,
    event: Exclude<SessionEvent, { type: 'SessionOpened' | 'SessionClosed' | 'ToolCallRequested' }>,
    now: number,
    by: string,
  ): void {
    must(call.end === null || event.type === 'LateResultRecorded', 'what has ended stays as it is (promise 9)');
    switch (event.type) {
      case 'ApprovalRequested':
        return this.approvalRequested(call, event.data);
      case 'ApprovalGranted':
      case 'ApprovalDenied':
        return this.decided(call, event, now, by);
      case 'ApprovalExpired':
      case 'ApprovalVoided':
        return undone(call, event, now);
      case 'ToolDispatched':
        return this.dispatched(call, event.data, now);
      case 'LeaseExtended':
        return extended(call, event.data, now);
      case 'ToolExecuted':
        must(
          call.dispatched?.attempt.toLowerCase() === event.data.attempt.toLowerCase(),
          'only the attempt that runs a call reports on it',
        );
        return;
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
      case 'ToolCallRejected':
      case 'ToolCallCancelled':
        must(call.dispatched === null, 'what was dispatched is neither rejected nor cancelled by the ledger');
        must(!isAlive(call), 'the approval of what ends is voided first');
        return;
      case 'CancelRequested':
        must(call.dispatched !== null, 'only what runs is asked to stop');
    }
  }

  private approvalRequested(call: Watched, data: EventData<'ApprovalRequested'>): void {
    must(call.approval === null && !this.approvals.has(data.approvalId), 'an approval is of one call');
    must(data.operationId === call.requested.operationId, 'an approval is about the operation that was requested (promise 8)');
    this.approvals.add(data.approvalId);
    call.approval = { id: data.approvalId, operationId: data.operationId, expires: Date.parse(data.expiresAt), state: 'pending' };
  }

  private decided(
    call: Watched,
    event: Extract<SessionEvent, { type: 'ApprovalGranted' | 'ApprovalDenied' }>,
    now: number,
    by: string,
  ): void {
    const { approval } = call;
    must(approval?.state === 'pending', 'an approval is decided once');
    must(approval !== null && now < approval.expires, 'nothing is decided after the expiry (promise 7)');
    must(!this.closed, 'nothing is decided in a closed session');
    must(event.data.operationId === approval?.operationId && event.data.by === by, 'the decision names its operation and its author');
    if (event.type === 'ApprovalGranted') must(by !== call.requestedBy, 'four eyes (promise 10)');
    if (approval !== null) approval.state = event.type === 'ApprovalGranted' ? 'granted' : 'denied';
  }

  private dispatched(call: Watched, data: EventData<'ToolDispatched'>, now: number): void {
    must(call.dispatched === null, 'a call is dispatched at most once (promise 12)');
    must(!this.closed, 'nothing is dispatched in a closed session (promise 11)');
    must(data.operationId === call.requested.operationId, 'what was requested is what runs (promise 8)');
    must(data.approvalId === (call.approval?.id ?? null), 'a dispatch consumes the approval of its call');
    if (call.approval !== null) {
      must(call.approval.state === 'granted', 'only a grant lets an operation run (promises 7, 9)');
      must(now < call.approval.expires, 'an approval is not consumed after its expiry (promise 7)');
      call.approval.state = 'consumed';
    } else {
      must(!call.requested.approval.required, 'what needs an approval does not run without one');
    }
    for (const other of this.calls.values()) {
      const same = other.requested.operationId === data.operationId && other.requested.turn === call.requested.turn;
      const mayHaveRun = other.dispatched !== null && [null, 'succeeded', 'unknown'].includes(other.endStatus);
      must(!(same && mayHaveRun), 'an operation is not repeated within its turn (promise 12)');
    }
    call.dispatched = data;
    call.leaseUntil = Date.parse(data.leaseUntil);
  }
}

const watched = (requested: EventData<'ToolCallRequested'>, requestedBy: string): Watched => ({
  requested,
  requestedBy,
  dispatched: null,
  leaseUntil: 0,
  approval: null,
  end: null,
  endStatus: null,
  late: false,
});

const isAlive = (call: Watched): boolean => call.approval !== null && ['pending', 'granted'].includes(call.approval.state);

function undone(call: Watched, event: Extract<SessionEvent, { type: 'ApprovalExpired' | 'ApprovalVoided' }>, now: number): void {
  must(isAlive(call), 'only a live approval is undone');
  if (call.approval === null) return;
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

function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(`a promise is broken: ${what}`);
}
