import type { CommandStep } from '../steps.js';
import { USERS } from '../words.js';
import { resolveAsked, resolveDecision, resolveDispatch, resolveOnCall, resolveSession } from './calls.js';
import { resolveOfPlan } from './plans.js';
import type { Resolved, Surroundings } from './resolved.js';

export { WORKSPACE, type Resolved, type Surroundings } from './resolved.js';

/** Turns a step into a command, given what there is so far: steps speak of calls, and a dispatch of what they asked for. */
export function resolve(step: CommandStep, around: Surroundings): Resolved {
  switch (step.do) {
    case 'open':
    case 'close':
    case 'sweep':
      return resolveSession(step, USERS);
    case 'request':
    case 'observe':
      return resolveAsked(step, around);
    case 'dispatch':
      return resolveDispatch(step, around);
    case 'grant':
    case 'deny':
      return resolveDecision(step, around);
    case 'report':
    case 'cancel':
    case 'heartbeat':
      return resolveOnCall(step, around);
    default:
      return resolveOfPlan(step, around);
  }
}
