import type { CallView, SessionEvent } from '@counterfoil/contracts';
import {
  callView,
  decide,
  EMPTY_DIRECTORY,
  evolve,
  evolveCall,
  initialState,
  type Call,
  type CallEvent,
  type DecisionContext,
  type FoldedEvent,
  type SessionCommand,
  type SessionState,
} from '@counterfoil/session';
import { deciding, type Given } from './deciding.js';
import { LOG_BEGINS } from './log.js';
import { FINGERPRINT_KEY, openSession } from './session-commands.js';
import { deepFrozen, snapshotOf } from './snapshot.js';

/** A decided event, with who acted: folding reads it from the metadata. */
export type ActedEvent = SessionEvent & { readonly principal: string };
export type GivenSession = Given<SessionCommand, ActedEvent, DecisionContext>;

/** The principal of a command that says nothing else; the time is LOG_BEGINS. */
export const REQUESTER = 'agent:requester';
export const APPROVER = 'person:approver';
export const SECOND_APPROVER = 'person:second';

/** The context of a command that says nothing else: no tool is registered and no policy is set. */
export function decisionContext(change: Partial<DecisionContext> = {}): DecisionContext {
  return { now: LOG_BEGINS, principal: REQUESTER, key: FINGERPRINT_KEY, roles: ['agent'], registry: EMPTY_DIRECTORY, ...change };
}

/** The context of a command so many seconds after LOG_BEGINS. */
export const after = (seconds: number): { readonly now: number } => ({ now: LOG_BEGINS + seconds * 1000 });
/** RFC 3339 time so many seconds after LOG_BEGINS. */
export const timeAfter = (seconds: number): string => new Date(LOG_BEGINS + seconds * 1000).toISOString();

/** Decides with frozen inputs, and fails if the state, the command or the context is another one afterwards. */
export function decidePurely(state: SessionState, command: SessionCommand, context: DecisionContext): SessionEvent[] {
  const inputs = [state, deepFrozen(command), deepFrozen(context)];
  const before = snapshotOf(inputs);
  try {
    return decide(state, command, context);
  } finally {
    expect(snapshotOf(inputs) === before).toBe(true);
  }
}

/** given/when/then for sessions; every decision is also shown to be pure. */
export const { given: givenSession } = deciding<SessionState, SessionCommand, ActedEvent, FoldedEvent, DecisionContext>(
  {
    initial: initialState,
    decide: (state, command, context) =>
      decidePurely(state, command, context).map((event) => deepFrozen({ ...event, principal: context.principal })),
    evolve,
    committed: (event, revision) => ({ ...event, revision }),
  },
  decisionContext,
);

/** The builders' session, opened. */
export const givenOpened = (): GivenSession => givenSession().when(openSession()).then({ type: 'SessionOpened' });

export type Play = SessionCommand | readonly [SessionCommand, Partial<DecisionContext>];

/** What the commands lead to after what was given, whatever it is; a refusal goes through. For what a spec is not about. */
export function played(given: GivenSession, ...plays: readonly Play[]): GivenSession {
  const events = [...given.events];
  const state = stateAfter(events);
  for (const play of plays) {
    const [command, change] = isChanged(play) ? play : [play, {}];
    const context = decisionContext(change);
    for (const decided of decide(state, command, context)) {
      const event = { ...decided, principal: context.principal };
      evolve(state, { ...event, revision: events.length });
      events.push(event);
    }
  }
  return givenSession(...events);
}

const isChanged = (play: Play): play is readonly [SessionCommand, Partial<DecisionContext>] => Array.isArray(play);

export function stateAfter(events: readonly ActedEvent[]): SessionState {
  return events.reduce((state, event, revision) => evolve(state, { ...event, revision }), initialState());
}

/** The call as a command would answer it. */
export function viewAfter({ events }: GivenSession, receiptId: string): CallView {
  const call = stateAfter(events).find(receiptId);
  if (call === null) throw new Error('there is no such call, or it ended long ago');
  return callView(call);
}

/** A call that ended, folded again from its own events at the revisions that the state kept of it, as after a restart. */
export function refolded(state: SessionState, events: readonly ActedEvent[], receiptId: string): Call | null {
  const ended = state.ended.get(receiptId);
  if (ended === null) return null;
  const revisions = Object.values(ended.revisions).filter((revision): revision is number => revision !== null);
  let call: Call | null = null;
  for (const revision of revisions.sort((a, b) => a - b)) {
    const event = events[revision];
    if (event !== undefined && 'receiptId' in event.data) call = evolveCall(call, { ...event, revision } as CallEvent);
  }
  return call;
}
