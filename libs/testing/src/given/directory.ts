import type { ToolSpec } from '@counterfoil/contracts';
import { EMPTY_DIRECTORY, type PolicyVerdict, type RegisteredTool, type ToolDirectory } from '@counterfoil/session';
import { TOOL } from './session-commands.js';
import { RUN } from './plan-commands.js';

/** A spec as the registry would hold it; the digest only has to differ where the spec does. */
export function toolSpec(change: Partial<ToolSpec> = {}): ToolSpec {
  const spec: Omit<ToolSpec, 'specDigest'> = {
    ...TOOL,
    version: '1',
    inputSchema: null,
    sideEffects: 'filesystem',
    declaredClass: null,
    parallelSafe: false,
    capabilities: [],
    duplicates: 'refuse_in_turn',
    successExitCodes: null,
    effect: { kind: 'file_write', path: '/path', content: '/content' },
    ...change,
  };
  return { ...spec, specDigest: change.specDigest ?? `sha256:${JSON.stringify(spec)}` };
}

/** The tool that runs the commands of the builders' plan. */
export const runSpec = (change: Partial<ToolSpec> = {}): ToolSpec =>
  toolSpec({
    ...RUN,
    sideEffects: 'process',
    duplicates: 'allow',
    effect: { kind: 'command', command: '/command', cwd: '/cwd' },
    ...change,
  });

export interface Directed {
  readonly tools?: readonly ToolSpec[];
  readonly violation?: string | null;
  readonly verdict?: Partial<PolicyVerdict>;
}

/** A directory for decisions: the registry's own rules are shown in libs/registry, here only what comes of them. */
export function directoryOf({ tools = [], violation = null, verdict = {} }: Directed): ToolDirectory {
  const registered = (spec: ToolSpec): RegisteredTool => ({ spec, violation: () => violation });
  return {
    ...EMPTY_DIRECTORY,
    revision: '7',
    policyVersion: verdict.then === undefined ? null : 3,
    find: (source, name) => {
      const spec = tools.find((one) => one.source === source && one.name === name);
      return spec === undefined ? null : registered(spec);
    },
    judge: () => ({ then: 'allow', reasons: [], expiresSeconds: null, ...verdict }),
  };
}
