import type { Policy, RegistryEvent, ToolSpec } from '@counterfoil/contracts';

/** What the registry's stream says of a workspace, folded. */
export interface RegistryState {
  /** By `toolKey`; retired ones are gone. */
  readonly tools: Map<string, ToolSpec>;
  /** Keys of tools that were retired, so that retiring one again is known for the same: the newest of them. */
  readonly retired: Set<string>;
  policy: Policy | null;
  /** Revision of each version of the policy, the first one first. */
  readonly policyRevisions: number[];
  /** UTF-16 units that the specs take together, about. */
  units: number;
  /** Revision of the last event folded; -1 before the first. */
  revision: number;
}

export type FoldedRegistryEvent = RegistryEvent & { readonly revision: number };

const MOST_RETIRED = 10_000;
/** A spec without its schema, about. */
const SPEC_UNITS = 500;

export const initialRegistry = (): RegistryState => ({
  tools: new Map(),
  retired: new Set(),
  policy: null,
  policyRevisions: [],
  units: 0,
  revision: -1,
});

/** Source and name in one, so that no two pairs share a key: either may hold any character. */
export const toolKey = (source: string, name: string): string => `${String(source.length)}:${source}${name}`;

/** What a spec takes of the room that a workspace has. */
export const unitsOf = (spec: ToolSpec | undefined): number => (spec === undefined ? 0 : SPEC_UNITS + (spec.inputSchema?.json.length ?? 0));

/** Folds an event into the state, which it changes. An event that was folded already changes nothing. */
export function evolveRegistry(state: RegistryState, event: FoldedRegistryEvent): RegistryState {
  if (event.revision <= state.revision) return state;
  if (event.type === 'ToolRegistered') {
    const { workspaceId: _, ...spec } = event.data;
    put(state, spec);
  } else if (event.type === 'ToolRetired') {
    retire(state, toolKey(event.data.source, event.data.name));
  } else {
    const { rules, unknownTools } = event.data;
    state.policy = { rules, unknownTools };
    state.policyRevisions.push(event.revision);
  }
  state.revision = event.revision;
  return state;
}

function put(state: RegistryState, spec: ToolSpec): void {
  const key = toolKey(spec.source, spec.name);
  state.units += unitsOf(spec) - unitsOf(state.tools.get(key));
  state.tools.set(key, spec);
  state.retired.delete(key);
}

function retire(state: RegistryState, key: string): void {
  state.units -= unitsOf(state.tools.get(key));
  state.tools.delete(key);
  state.retired.add(key);
  if (state.retired.size <= MOST_RETIRED) return;
  for (const oldest of state.retired) {
    state.retired.delete(oldest);
    return;
  }
}
