import type { ToolDirectory } from '@counterfoil/session';
import { ALLOW_ALL, judgeOf } from './policy/judge.js';
import type { ToolSchemas } from './schema/tool-schemas.js';
import { toolKey, type RegistryState } from './state.js';

/** The tools and the policy as they stand: what is folded later doesn't change it. */
export function toolDirectory(state: RegistryState, schemas: ToolSchemas): ToolDirectory {
  const tools = new Map(state.tools);
  return {
    revision: state.revision < 0 ? null : String(state.revision),
    policyVersion: state.policyRevisions.length === 0 ? null : state.policyRevisions.length,
    find: (source, name) => {
      const spec = tools.get(toolKey(source, name));
      return spec === undefined ? null : { spec, violation: (canonicalArguments) => schemas.violation(spec, canonicalArguments) };
    },
    judge: judgeOf(state.policy ?? ALLOW_ALL),
  };
}
