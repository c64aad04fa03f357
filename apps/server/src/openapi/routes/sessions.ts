import { OpenSessionBody, ReasonBody } from '@counterfoil/contracts';
import { SessionListQuery } from '@counterfoil/read-models';
import {
  answered,
  COMMAND_PROBLEMS,
  createdOr,
  MIN_POSITION,
  named,
  PAGE_PROBLEMS,
  QUERY_PROBLEMS,
  type RouteEntry,
} from '../route-entry.js';
import { pageOf, Session, SessionAnswer } from '../schemas.js';

const answer = named('SessionAnswer', SessionAnswer);

export const SESSION_ROUTES: readonly RouteEntry[] = [
  {
    route: 'POST /v1/sessions',
    id: 'openSession',
    tag: 'sessions',
    summary: 'Open a session',
    body: named('OpenSessionBody', OpenSessionBody),
    answers: createdOr(answer),
    problems: [...COMMAND_PROBLEMS, 'not_found', 'session_id_unavailable', 'session_conflict'],
  },
  {
    route: 'GET /v1/sessions',
    id: 'findSessions',
    tag: 'sessions',
    summary: 'List sessions, newest first',
    query: SessionListQuery,
    headers: [MIN_POSITION],
    answers: answered('A page.', named('SessionPage', pageOf(Session))),
    problems: PAGE_PROBLEMS,
  },
  {
    route: 'GET /v1/sessions/:s',
    id: 'getSession',
    tag: 'sessions',
    summary: 'Read a session',
    headers: [MIN_POSITION],
    answers: answered('The session.', named('Session', Session)),
    problems: QUERY_PROBLEMS,
  },
  {
    route: 'POST /v1/sessions/:s/close',
    id: 'closeSession',
    tag: 'sessions',
    summary: 'Close a session',
    description: 'Voids approvals and cancels undispatched calls. Results of dispatched calls are still taken.',
    body: named('ReasonBody', ReasonBody),
    answers: answered('The session, closed.', answer),
    problems: COMMAND_PROBLEMS,
  },
];
