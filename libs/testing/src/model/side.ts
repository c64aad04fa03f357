import { parseApprovalId } from '@counterfoil/canonical';
import { SESSION_EVENTS, type SessionEvent } from '@counterfoil/contracts';
import {
  callView,
  evolve,
  evolveCall,
  initialState,
  type Call,
  type CallEvent,
  type FoldedEvent,
  type SessionCommand,
  type SessionState,
} from '@counterfoil/session';
import type { Recorded } from './watch/must.js';
import { Watch } from './watch/index.js';

/** One session as the decider has it. */
export class Side {
  readonly warm = initialState();
  /** The same session in a process that remembers no ended call: nothing but its compact record answers. */
  readonly cold = initialState();
  readonly events: FoldedEvent[] = [];
  readonly watch = new Watch();

  /** @param event as the store gives it back */
  add(event: SessionEvent, recorded: Omit<Recorded, 'revision'>): void {
    SESSION_EVENTS[event.type].parse(event.data);
    const revision = this.events.length;
    this.watch.observe(event, { ...recorded, revision });
    const folded = { ...event, revision, principal: recorded.by } as FoldedEvent;
    this.events.push(folded);
    evolve(this.warm, folded);
    evolve(this.cold, folded);
    this.cold.recent.clear();
  }

  /** A call, as far back as it may have ended. */
  find(receiptId: string): Call | null {
    return this.warm.find(receiptId) ?? this.refold(receiptId);
  }

  /** A call that has ended, from its own events at the revisions that are kept of it. */
  refold(receiptId: string): Call | null {
    const revisions = Object.values(this.cold.ended.get(receiptId)?.revisions ?? {}).filter(
      (revision): revision is number => revision !== null,
    );
    return revisions
      .sort((a, b) => a - b)
      .reduce<Call | null>((call, revision) => {
        const event = this.events[revision];
        return event === undefined ? call : evolveCall(call, event as CallEvent);
      }, null);
  }

  /** Asks the side that remembers nothing, with the one call brought back that a handler reads back for such a command. */
  withRecalled<T>(command: SessionCommand, ask: (state: SessionState) => T): T {
    const receiptId = recalledBy(this.cold, command);
    const call = receiptId === null ? null : this.refold(receiptId);
    if (call !== null) this.cold.remember(call);
    try {
      return ask(this.cold);
    } finally {
      this.cold.recent.clear();
    }
  }

  /** Folding from nothing, and each ended call from its own events, gives what the running session has. */
  mustSettle(): void {
    const fresh = this.events.reduce(evolve, initialState());
    for (const event of this.events) {
      if (event.type !== 'ToolCallRequested') continue;
      const id = event.data.receiptId;
      const folded = [this.warm.find(id), fresh.find(id), this.cold.open.get(id) ?? this.refold(id)].filter((call) => call !== null);
      if (new Set(folded.map(everythingOf)).size !== 1) throw new Error(`folded again, ${id} is ${folded.map(everythingOf).join(' or ')}`);
    }
    const [running, again] = [besidesCalls(this.warm), besidesCalls(fresh)];
    if (running !== again || fresh.revision !== this.events.length - 1)
      throw new Error(`folded again, it is ${again} instead of ${running}`);
  }
}

/** Which call a decision needs whole: what ledgers read back before they decide (libs/ledger, recall). */
function recalledBy(state: SessionState, command: SessionCommand): string | null {
  switch (command.type) {
    case 'DispatchToolCall':
      return 'arguments' in command.named ? command.receiptId : null;
    case 'GrantApproval': {
      const n = command.amended === null ? null : (parseApprovalId(command.approvalId)?.n ?? null);
      return n === null ? null : state.approvals.at(n);
    }
    case 'RecordEvidence':
      return command.source.kind === 'receipt' ? command.source.receiptId : null;
    default:
      return null;
  }
}

/** All of a call but the length of its lease: heartbeats are not among the events by which an ended call is folded again. */
const everythingOf = (call: Call): string => JSON.stringify({ ...call, leaseSeconds: null, view: callView(call) });

/** All of a session but its calls. */
function besidesCalls(state: SessionState): string {
  const { identity, closed, calls, plan, planFingerprints, evidence, closedEvidence, outdatedAt, inFlight, known } = state;
  const tasks = plan === null ? null : [plan.planId, ...plan.tasks.values()];
  const maps = [planFingerprints, evidence, closedEvidence, inFlight].map((map) => [...map]);
  return JSON.stringify([identity, closed, calls, tasks, maps, outdatedAt, known]);
}
