export { SESSION_INDEXES, sessionFields, sessionKey, sessionsProjection } from './projection.js';
export { closedWithLeftovers, findSessions, getSession, planSessions, SessionListQuery, splitSessionQuery } from './queries.js';
export type { SessionFilters } from './queries.js';
