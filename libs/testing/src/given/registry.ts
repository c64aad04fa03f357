import type { FingerprintKey } from '@counterfoil/canonical';
import type { Policy, RegistryEvent, ToolSpec } from '@counterfoil/contracts';
import {
  decideRegistry,
  evolveRegistry,
  initialRegistry,
  registerTool,
  toolDirectory,
  ToolSchemas,
  type FoldedRegistryEvent,
  type RegisterTool,
  type RegistryCommand,
  type RegistryContext,
  type RegistryState,
  type RetireTool,
  type SetPolicy,
} from '@counterfoil/registry';
import type { ToolDirectory } from '@counterfoil/session';
import { deciding, type Given } from './deciding.js';
import { WORKSPACE } from './scope.js';
import { FINGERPRINT_KEY, freeJson, TOOL } from './session-commands.js';
import { deepFrozen, snapshotOf } from './snapshot.js';

/** Registers the builders' tool. */
export const registering = (change: Partial<RegisterTool> = {}): RegisterTool => ({
  ...registerTool(WORKSPACE, { ...TOOL, sideEffects: 'filesystem', parallelSafe: false, capabilities: [] }),
  ...change,
});

/** Registers the builders' tool with an input schema, given as a value. */
export const registeringSchema = (schema: unknown, change: Partial<RegisterTool> = {}): RegisterTool =>
  registering({ inputSchema: freeJson(JSON.stringify(schema)), ...change });

export const retiring = (change: Partial<RetireTool> = {}): RetireTool => ({
  type: 'RetireTool',
  workspaceId: WORKSPACE,
  ...TOOL,
  reason: null,
  ...change,
});

export const settingPolicy = (policy: Partial<Policy> = {}): SetPolicy => ({
  type: 'SetPolicy',
  workspaceId: WORKSPACE,
  policy: { rules: [], unknownTools: 'allow', ...policy },
});

export type GivenRegistry = Given<RegistryCommand, RegistryEvent, RegistryContext>;

export const registryContext = (key: FingerprintKey = FINGERPRINT_KEY): RegistryContext => ({ key, schemas: new ToolSchemas() });

/** given/when/then for the registry; every decision is also shown to change nothing that it was given. */
export const { given: givenRegistry } = deciding<RegistryState, RegistryCommand, RegistryEvent, FoldedRegistryEvent, RegistryContext>(
  {
    initial: initialRegistry,
    decide: (state, command, context) => {
      const before = snapshotOf([state, deepFrozen(command)]);
      try {
        return decideRegistry(state, command, context).map(deepFrozen);
      } finally {
        expect(snapshotOf([state, command]) === before).toBe(true);
      }
    },
    evolve: evolveRegistry,
    committed: (event, revision) => ({ ...event, revision }),
  },
  registryContext,
);

/** What commands lead to from an empty registry, one after the other; a refusal goes through. */
export function registryAfter(...commands: readonly RegistryCommand[]): RegistryState {
  const state = initialRegistry();
  const context = registryContext();
  for (const command of commands) {
    for (const event of decideRegistry(state, command, context)) evolveRegistry(state, { ...event, revision: state.revision + 1 });
  }
  return state;
}

/** The directory of a registry in which the commands were run: with the registry's own schemas and policy, unlike `directoryOf`. */
export const directoryAfter = (...commands: readonly RegistryCommand[]): ToolDirectory =>
  toolDirectory(registryAfter(...commands), new ToolSchemas());

/** The spec that a registration leads to. */
export function specAfter(command: RegisterTool): ToolSpec {
  const tool = directoryAfter(command).find(command.source, command.name);
  if (tool === null) throw new Error('nothing was registered');
  return tool.spec;
}
