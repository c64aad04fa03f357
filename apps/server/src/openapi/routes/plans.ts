import { ActivatePlanBody, PlanAnswer, ReasonBody } from '@counterfoil/contracts';
import { PlanListQuery } from '@counterfoil/read-models';
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
import { pageOf, Plan } from '../schemas.js';

const answer = named('PlanAnswer', PlanAnswer);

export const PLAN_ROUTES: readonly RouteEntry[] = [
  {
    route: 'POST /v1/sessions/:s/plans',
    id: 'activatePlan',
    tag: 'plans',
    summary: 'Activate a Working Plan',
    description: 'The plan that was active is superseded.',
    body: named('ActivatePlanBody', ActivatePlanBody),
    answers: createdOr(answer),
    problems: [...COMMAND_PROBLEMS, 'plan_conflict', 'session_closed'],
  },
  {
    route: 'POST /v1/sessions/:s/plans/:p/close',
    id: 'closePlan',
    tag: 'plans',
    summary: 'Close the active plan',
    body: named('ReasonBody', ReasonBody),
    answers: answered('The plan, closed.', answer),
    problems: [...COMMAND_PROBLEMS, 'plan_not_active'],
  },
  {
    route: 'GET /v1/sessions/:s/plans/:p',
    id: 'getPlan',
    tag: 'plans',
    summary: 'Read a plan',
    headers: [MIN_POSITION],
    answers: answered('The plan.', named('Plan', Plan)),
    problems: QUERY_PROBLEMS,
  },
  {
    route: 'GET /v1/plans',
    id: 'findPlans',
    tag: 'plans',
    summary: 'List plans, newest first',
    query: PlanListQuery,
    headers: [MIN_POSITION],
    answers: answered('A page.', named('PlanPage', pageOf(Plan))),
    problems: PAGE_PROBLEMS,
  },
];
