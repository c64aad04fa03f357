import { canonicalize } from '@counterfoil/canonical';
import type { RegistryEvent } from '@counterfoil/contracts';
import type { SetPolicy } from '../commands.js';
import type { RegistryState } from '../state.js';
import { refuseSecrets } from './no-secrets.js';

/** Sets the policy as a whole: a new version, unless it says the same as the one in force. */
export function setPolicyDecision(state: RegistryState, { workspaceId, policy }: SetPolicy): RegistryEvent[] {
  refuseSecrets(
    policy.rules.flatMap(({ id, match }, at) => [
      [`rules[${String(at)}].id`, id] as const,
      [`rules[${String(at)}].match.source`, match.source] as const,
      [`rules[${String(at)}].match.name`, match.name] as const,
    ]),
  );
  if (state.policy !== null && canonicalize(state.policy) === canonicalize(policy)) return [];
  const { rules, unknownTools } = policy;
  return [{ type: 'PolicySet', data: { workspaceId, version: state.policyRevisions.length + 1, rules, unknownTools } }];
}
