import type { Policy, PolicyRule, SideEffectClass } from '@counterfoil/contracts';
import type { PolicyVerdict } from '@counterfoil/session';
import { globOf } from './glob.js';

/** The tool of a call, as the policy sees it. */
export interface JudgedTool {
  readonly source: string;
  readonly name: string;
  readonly sideEffects: SideEffectClass;
  /** False for one that is not registered, or was retired. */
  readonly known: boolean;
}

export type Judge = (tool: JudgedTool) => PolicyVerdict;

/** Until a policy is set, nothing is asked for. */
export const ALLOW_ALL: Policy = { rules: [], unknownTools: 'allow' };

const CODES = { refuse: 'policy_refuses', require_approval: 'policy_requires_approval' } as const;

interface Wish {
  readonly then: PolicyRule['then'];
  readonly ruleId: string | null;
  readonly expiresSeconds: number | null;
}

/**
 * What a policy wants of a call: the strictest of all that match. No rule grants anything, whatever it says of classes (promise 10):
 * with another rule a verdict can only get stricter, and where no rule matches, all is as it is without a policy.
 */
export function judgeOf(policy: Policy): Judge {
  const rules = policy.rules.map((rule) => ({ matches: matcherOf(rule), wish: wishOf(rule) }));
  const { unknownTools } = policy;
  const ofUnknown: Wish[] = unknownTools === 'allow' ? [] : [{ then: unknownTools, ruleId: null, expiresSeconds: null }];
  return (tool) => {
    const wishes = rules.filter(({ matches }) => matches(tool)).map(({ wish }) => wish);
    return verdictOf(tool.known ? wishes : [...wishes, ...ofUnknown]);
  };
}

const wishOf = ({ id, then, expiresSeconds }: PolicyRule): Wish => ({ then, ruleId: id, expiresSeconds: expiresSeconds ?? null });

function matcherOf({ match }: PolicyRule): (tool: JudgedTool) => boolean {
  const [isSource, isName] = [globOf(match.source), globOf(match.name)];
  const { sideEffects } = match;
  return (tool) => (sideEffects === undefined || sideEffects.includes(tool.sideEffects)) && isSource(tool.source) && isName(tool.name);
}

/** Every wish is for a refusal or for an approval, so each of them belongs to the reasons. */
function verdictOf(wishes: readonly Wish[]): PolicyVerdict {
  const isRefused = wishes.some(({ then }) => then === 'refuse');
  const waits = wishes.filter(({ then }) => then === 'require_approval').flatMap(({ expiresSeconds }) => expiresSeconds ?? []);
  return {
    then: isRefused ? 'refuse' : wishes.length > 0 ? 'require_approval' : 'allow',
    reasons: wishes.map(({ then, ruleId }) => ({ code: CODES[then], ruleId })),
    expiresSeconds: waits.length === 0 ? null : Math.min(...waits),
  };
}
