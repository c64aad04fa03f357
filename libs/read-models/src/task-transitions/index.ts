export { taskTransitionsProjection, TRANSITION_INDEXES, transitionFields } from './projection.js';
export { findTransitions, TRANSITIONS_MAX } from './queries.js';
export type { FoundTransitions } from './queries.js';
