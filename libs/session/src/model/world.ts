import { operationId, type FingerprintKey } from '@counterfoil/canonical';
import { DomainError, type SessionEvent } from '@counterfoil/contracts';
import { callView, type Call } from '../call.js';
import type { decide } from '../decide.js';
import { evolve, initialState } from '../evolve.js';
import { evolveCall, type FoldedEvent } from '../evolve-call.js';
import type { SessionState } from '../state.js';
import { ACCEPTED, Reference, SAME, type Answer, type ReferenceCall } from './reference.js';
import { resolve, WORKSPACE, type OperationIds, type Resolved } from './resolve.js';
import { describeStep, type Step } from './steps.js';
import { Watch } from './watch.js';

const KEY: FingerprintKey = { id: 'k1', secret: new Uint8Array(32).fill(3) };
const BEGINNING = Date.UTC(2027, 0, 1);

/** One session as the decider has it. */
class Side {
  readonly warm = initialState();
  /** The same session in a process that remembers no ended call: nothing but its compact record answers. */
  readonly cold = initialState();
  readonly events: FoldedEvent[] = [];
  readonly watch = new Watch();

  add(event: SessionEvent, principal: string): void {
    // As the store gives it back.
    const folded = JSON.parse(JSON.stringify({ ...event, revision: this.events.length, principal })) as FoldedEvent;
    this.events.push(folded);
    evolve(this.warm, folded);
    evolve(this.cold, folded);
    this.cold.recent.clear();
  }
}

/** The decider and the reference side by side. Throws where they differ, or where an event breaks a promise. */
export class World implements OperationIds {
  /** What was met: `<command> <answer>` and the types of events, so that a run can show that it met everything. */
  readonly met = new Set<string>();
  private now = BEGINNING;
  private readonly reference = new Reference();
  private readonly sides = new Map<string, Side>();
  private readonly said: Resolved[] = [];
  /** What was done and answered so far, for the message of a failure. */
  private readonly transcript: string[] = [];
  private readonly operations = new OneToOne();
  private readonly receipts = new OneToOne();

  constructor(private readonly decider: typeof decide) {}

  play(script: readonly Step[]): void {
    for (const step of script) {
      this.transcript.push(`${this.transcript.length + 1}. ${describeStep(step)}`);
      try {
        this.step(step);
      } catch (error) {
        const what = error instanceof Error ? error.message : 'something was thrown';
        throw new Error(`${what}\n${this.transcript.join('\n')}`, { cause: error });
      }
    }
    for (const [session, side] of this.sides) settle(session, side);
  }

  private say(what: string): void {
    this.transcript.push(`${this.transcript.pop() ?? ''} -> ${what}`);
  }

  idOf(session: string, operation: string): string {
    const known = this.operations.get(`${session} ${operation}`);
    if (known !== undefined) return known;
    const parts = {
      workspaceId: WORKSPACE,
      userId: 'nobody',
      sessionId: session,
      tool: { source: 'none', name: operation },
      canonicalArguments: '{}',
    };
    return operationId(KEY, parts);
  }

  wasRequested(session: string, operation: string): boolean {
    return this.operations.get(`${session} ${operation}`) !== undefined;
  }

  private step(step: Step): void {
    if (step.do === 'wait') {
      this.now += step.seconds * 1000;
      return;
    }
    const resolved = step.do === 'again' ? this.said.at(-step.back) : resolve(step, this.reference, this);
    if (resolved === undefined) return;
    if (step.do !== 'again') this.said.push(resolved);
    const expected = this.reference.apply(resolved.session, resolved.intent, this.now);
    const answer = this.ask(resolved);
    this.say(`${'turn' in resolved.intent ? `${resolved.intent.turn}/${resolved.intent.id} ` : ''}${answer}`);
    this.met.add(`${resolved.command.type} ${answer}`);
    if (answer !== expected) throw new Error(`the reference says ${expected}, the decider ${answer}`);
    this.compareCalls(resolved.session);
  }

  private ask(resolved: Resolved): Answer {
    const side = this.sides.get(resolved.session) ?? new Side();
    this.sides.set(resolved.session, side);
    const [answer, events] = this.answerOf(side.warm, resolved);
    const [coldAnswer, coldEvents] = this.answerOf(side.cold, resolved);
    const same = answer === coldAnswer && JSON.stringify(events) === JSON.stringify(coldEvents);
    if (!same && !needsTheTool(side, resolved))
      throw new Error(`a state that forgot its ended calls says ${coldAnswer}, the other ${answer}`);
    for (const event of events) {
      this.met.add(event.type);
      side.watch.observe(event, this.now, resolved.principal);
      side.add(event, resolved.principal);
      this.nameAlike(resolved, event);
    }
    return answer;
  }

  private answerOf(state: SessionState, { command, principal }: Resolved): [Answer, SessionEvent[]] {
    try {
      const events = this.decider(state, command, { now: this.now, principal, key: KEY });
      return [events.length > 0 ? ACCEPTED : SAME, events];
    } catch (error) {
      if (error instanceof DomainError) return [error.code, []];
      throw error;
    }
  }

  /** What is one operation or one call for the reference is one for the decider, and the other way round (promises 2 and 3). */
  private nameAlike({ session, intent }: Resolved, event: SessionEvent): void {
    if (event.type !== 'ToolCallRequested' || intent.do !== 'request') return;
    this.receipts.pair(`${session}/${intent.turn}/${intent.id}`, event.data.receiptId);
    if (intent.operation !== null && event.data.operationId !== null)
      this.operations.pair(`${session} ${intent.operation}`, event.data.operationId);
  }

  private compareCalls(session: string): void {
    const [known, side] = [this.reference.sessions.get(session), this.sides.get(session)];
    if (known === undefined || side === undefined) return;
    if (side.warm.calls !== known.calls.length) throw new Error(`${known.calls.length} calls were expected, there are ${side.warm.calls}`);
    for (const expected of known.calls) {
      const receiptId = this.receipts.get(`${session}/${expected.turn}/${expected.id}`);
      const call = receiptId === undefined ? null : (side.warm.find(receiptId) ?? refold(side, receiptId));
      const operation = expected.operation === null ? null : this.idOf(session, expected.operation);
      const [want, have] = [JSON.stringify(visible(expected, operation)), call === null ? 'nothing' : JSON.stringify(visibleOf(call))];
      if (want !== have) throw new Error(`${expected.turn}/${expected.id} should be ${want} and is ${have}`);
    }
  }
}

/** A pairing of names with ids in which neither has two partners. */
class OneToOne {
  private readonly ids = new Map<string, string>();
  private readonly names = new Map<string, string>();

  get(name: string): string | undefined {
    return this.ids.get(name);
  }

  pair(name: string, id: string): void {
    if ((this.ids.get(name) ?? id) !== id || (this.names.get(id) ?? name) !== name)
      throw new Error(`${name} and ${id} belong to others already`);
    this.ids.set(name, id);
    this.names.set(id, name);
  }
}

/** Of an ended call that is not at hand the tool isn't kept, so the same attempt is answered without looking at the arguments it names. */
function needsTheTool(side: Side, { command }: Resolved): boolean {
  return (
    command.type === 'DispatchToolCall' &&
    'arguments' in command.named &&
    side.warm.ended.get(command.receiptId)?.matchesAttempt(command.attempt) === true
  );
}

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

const visible = (call: ReferenceCall, operation: string | null): object => ({
  status: call.status,
  operation,
  approval: call.approval === null ? null : { state: call.approval.state, expires: iso(call.approval.expires), by: call.approval.by },
  why: call.why,
  attempt: call.ran ? call.attempt : null,
  leaseUntil: iso(call.leaseUntil),
  cancelAsked: call.cancelAsked,
});

function visibleOf(call: Call): object {
  const view = callView(call);
  return {
    status: view.status,
    operation: view.operationId,
    approval:
      view.approval === null ? null : { state: view.approval.state, expires: view.approval.expiresAt, by: call.approval?.by ?? null },
    why: view.reason?.code ?? null,
    attempt: view.attempt?.toLowerCase() ?? null,
    leaseUntil: view.leaseUntil,
    cancelAsked: view.cancelRequested,
  };
}

/** A call that has ended, from its own events at the revisions that are kept of it. */
function refold(side: Side, receiptId: string): Call | null {
  const revisions = Object.values(side.cold.ended.get(receiptId)?.revisions ?? {}).filter(
    (revision): revision is number => revision !== null,
  );
  return revisions
    .sort((a, b) => a - b)
    .reduce<Call | null>((call, revision) => {
      const event = side.events[revision];
      return event === undefined ? call : evolveCall(call, event);
    }, null);
}

/** All of a call but the length of its lease: heartbeats are not among the events by which an ended call is folded again. */
const everythingOf = (call: Call): string => JSON.stringify({ ...call, leaseSeconds: null, view: callView(call) });

/** Folding from nothing, and each ended call from its own events, gives the calls as the running session has them. */
function settle(session: string, side: Side): void {
  const fresh = side.events.reduce(evolve, initialState());
  const ids = side.events.flatMap((event) => (event.type === 'ToolCallRequested' ? [event.data.receiptId] : []));
  for (const id of ids) {
    const folded = [side.warm.find(id), fresh.find(id), side.cold.open.get(id) ?? refold(side, id)];
    const views = folded.map((call) => (call === null ? 'nothing' : everythingOf(call)));
    if (new Set(views).size !== 1) throw new Error(`${session}: folded again, ${id} is ${views.join(' or ')}`);
  }
  if (fresh.calls !== side.warm.calls || fresh.revision !== side.events.length - 1)
    throw new Error(`${session}: folded again, it is another session`);
}
