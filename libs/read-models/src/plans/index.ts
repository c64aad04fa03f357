export { PLAN_INDEXES, planFields, planKey, plansProjection } from './projection.js';
export { findPlans, getPlan, PlanListQuery, planPlans, splitPlanQuery } from './queries.js';
export type { PlanFilters } from './queries.js';
