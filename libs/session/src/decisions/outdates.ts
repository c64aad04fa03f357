import type { Expectation, SideEffectClass } from '@counterfoil/contracts';
import type { SessionState } from '../state.js';

export interface Running {
  readonly planId: string | null;
  readonly taskId: string | null;
  readonly sideEffects: SideEffectClass;
  readonly expectation: Expectation;
}

/**
 * Whose evidence a run outdates (promise 15): that of its task, or of every task if it is bound to none. Reading changes nothing, and
 * neither does a run of one of the task's own command criteria; every other class may change what was tested.
 */
export function outdatesOf(state: SessionState, call: Running): 'nothing' | 'task' | 'session' {
  if (call.sideEffects === 'read_only') return 'nothing';
  if (call.planId === null || call.taskId === null) return 'session';
  const { expectation } = call;
  const task = state.plan?.planId === call.planId ? state.plan.tasks.get(call.taskId) : undefined;
  const isOwnCheck =
    expectation.kind === 'command' &&
    task?.criteria.some((criterion) => criterion.kind === 'command' && criterion.fingerprint === expectation.fingerprint) === true;
  return isOwnCheck ? 'nothing' : 'task';
}
