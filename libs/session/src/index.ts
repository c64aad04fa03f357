export { callView, isEnded, isUndispatched, nextFor, type Call } from './call.js';
export * from './commands.js';
export { isoTime, type DecisionContext } from './context.js';
export { decide } from './decide.js';
export { receiptIdOf, CALLS_PER_SESSION } from './decisions/request-tool-call.js';
export { evolve, initialState } from './evolve.js';
export { evolveCall, ImpossibleEventError, type FoldedEvent } from './evolve-call.js';
export { SessionState, type SessionIdentity } from './state.js';
export type { EndedCall } from './ended-calls.js';
