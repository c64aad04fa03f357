import type { Call } from './call.js';
import { isEnded } from './call.js';
import { evolveCall, ImpossibleEventError, type CallEvent, type FoldedEvent } from './evolve-call.js';
import { evolvePlan, outdate, type PlanEvent } from './evolve-plan.js';
import { flightKey, SessionState } from './state.js';

/** A session before its first event. */
export const initialState = (): SessionState => new SessionState();

/**
 * Folds one committed event into the session, in place (see SessionState), and gives it back.
 *
 * @throws ImpossibleEventError when the event can't follow: the stream is damaged
 */
export function evolve(state: SessionState, event: FoldedEvent): SessionState {
  if ('secrets' in event.data) state.learn(event.data.secrets);
  if (event.type === 'SessionOpened') state.identity = event.data;
  else if (event.type === 'SessionClosed') state.closed = true;
  else if (isOfCall(event)) foldCall(state, event);
  else evolvePlan(state, event);
  state.revision = event.revision;
  return state;
}

function isOfCall(event: CallEvent | PlanEvent): event is CallEvent {
  return 'receiptId' in event.data;
}

function foldCall(state: SessionState, event: CallEvent): void {
  const { receiptId } = event.data;
  if (event.type === 'LateResultRecorded') {
    foldLateResult(state, receiptId, event);
    return;
  }
  const before = state.open.get(receiptId) ?? null;
  if (event.type === 'ToolCallRequested' && (before !== null || state.ended.has(receiptId))) {
    throw new ImpossibleEventError(event.type, event.revision);
  }
  const call = evolveCall(before, event);
  if (event.type === 'ApprovalRequested') state.approvals.push(receiptId);
  trackFlight(state, before, call);
  if (event.type === 'ToolDispatched') outdate(state, event.data.outdates, call, event.revision);
  if (event.type === 'ToolCallObserved') outdate(state, event.data.outdates ?? 'session', call, event.revision);
  if (isEnded(call.status)) {
    state.open.delete(receiptId);
    state.ended.add(call);
    state.remember(call);
  } else {
    state.open.set(receiptId, call);
  }
}

function trackFlight(state: SessionState, before: Call | null, after: Call): void {
  const change = Number(after.status === 'dispatched') - Number(before?.status === 'dispatched');
  if (change === 0 || after.operationId === null) return;
  for (const key of [flightKey(after.operationId, after.turn ?? ''), flightKey(after.operationId, null)]) {
    const count = (state.inFlight.get(key) ?? 0) + change;
    if (count > 0) state.inFlight.set(key, count);
    else state.inFlight.delete(key);
  }
}

/** A late result changes neither status nor anything that is decided upon, but for being recognised when it is reported again. */
function foldLateResult(state: SessionState, receiptId: string, event: CallEvent): void {
  const recent = state.recent.get(receiptId);
  if (event.type !== 'LateResultRecorded' || !state.ended.has(receiptId)) throw new ImpossibleEventError(event.type, event.revision);
  state.ended.recordLate(receiptId, event.data.resultFingerprint, event.revision);
  if (recent !== undefined) state.remember(evolveCall(recent, event));
}
