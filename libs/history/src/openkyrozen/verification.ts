import { oldRuntimeRan, type Verification } from '@counterfoil/contracts';
import { builtin, runsCommands, sideEffectsOf } from './tools.js';

const EXISTENCE_CHECK = 'file exists after write';

export interface OldVerification {
  readonly state: Verification['state'];
  readonly method: string;
  /** What was observed, as a JSON value; undefined if nothing was. */
  readonly observed?: unknown;
}

/** What a record says of its call, as far as it bears on the effect. */
export interface EffectFacts {
  /** The tool's canonical name. */
  readonly tool: string;
  readonly authorized: boolean | null;
  readonly failure: string | null;
  readonly exitCode: number | null;
  readonly verifiedEffect: string | null;
}

/**
 * What the record proves of the effect (promise 19 over what the old runtime kept): a command by its exit status, nothing else. That a
 * file existed after a write is kept as an observation and proves nothing of its content.
 */
export function verify(facts: EffectFacts): OldVerification {
  if (!oldRuntimeRan(facts)) return { state: 'not_applicable', method: 'not_dispatched' };
  if (sideEffectsOf(facts.tool) === 'read_only') return { state: 'not_applicable', method: 'read_only_tool' };
  if (runsCommands(facts.tool) && facts.exitCode !== null) {
    return { state: facts.exitCode === 0 ? 'verified' : 'failed', method: 'exit_status', observed: { exit_code: facts.exitCode } };
  }
  if (facts.verifiedEffect?.startsWith(EXISTENCE_CHECK) === true) {
    return { state: 'unavailable', method: 'legacy_existence_check', observed: facts.verifiedEffect };
  }
  return { state: 'unavailable', method: withoutObservation(facts) };
}

/** Why there is nothing to go by. */
function withoutObservation(facts: EffectFacts): string {
  if (facts.failure === 'interrupted' || facts.failure === 'timeout') return facts.failure;
  if (runsCommands(facts.tool)) return 'no_structured_exit_status';
  return builtin(facts.tool) === null ? 'unsupported_tool' : 'no_observation';
}
