import { DomainError, EffectMapping, type RegistryEvent } from '@counterfoil/contracts';
import type { RegisterTool } from '../commands.js';
import type { RegistryContext } from '../context.js';
import { admitSchema, invalidSchema } from '../schema/admit.js';
import { SchemaError } from '../schema/schema-error.js';
import { toolKey, unitsOf, type RegistryState } from '../state.js';
import { saysTheSame, specOf } from '../tool-spec.js';
import { refuseSecrets } from './no-secrets.js';

/** Tools that a workspace may have at a time. */
export const MOST_TOOLS = 5000;
/** And what they may take together, so that a workspace fits into memory. */
const MOST_UNITS = 32 * 1024 * 1024;

/** Registers a tool, or its newest spec. The same again adds nothing. */
export function registerToolDecision(state: RegistryState, command: RegisterTool, context: RegistryContext): RegistryEvent[] {
  checkNames(command);
  checkEffect(command.effect);
  const schema = command.inputSchema === null ? null : admitSchema(command.inputSchema, context.key);
  const spec = specOf(command, schema);
  const before = state.tools.get(toolKey(command.source, command.name));
  if (before !== undefined && saysTheSame(before, spec)) return [];
  try {
    context.schemas.compile(spec);
  } catch (error) {
    throw error instanceof SchemaError ? invalidSchema(error.reason) : error;
  }
  if (before === undefined && state.tools.size >= MOST_TOOLS) {
    throw new DomainError('registry_full', `The workspace has ${String(MOST_TOOLS)} tools.`, { limit: MOST_TOOLS });
  }
  if (state.units + unitsOf(spec) - unitsOf(before) > MOST_UNITS) {
    throw new DomainError('registry_full', 'The input schemas of the workspace take all the room that they may take.', {
      limit: MOST_UNITS,
    });
  }
  return [{ type: 'ToolRegistered', data: { workspaceId: command.workspaceId, ...spec } }];
}

function checkNames({ source, name, version, sideEffects, capabilities, effect }: RegisterTool): void {
  refuseSecrets([
    ['source', source],
    ['name', name],
    ['version', version],
    ['sideEffects', sideEffects],
    ...capabilities.map((capability, at) => [`capabilities[${String(at)}]`, capability] as const),
    ...Object.entries(effect ?? {}).map(([field, pointer]) => [`effect.${field}`, pointer] as const),
  ]);
}

/** What is expected of a call is read from its arguments by these: one value at each place, and not the arguments as a whole. */
function checkEffect(effect: EffectMapping | null): void {
  if (effect === null) return;
  const pointers = effect.kind === 'file_write' ? [effect.path, effect.content] : [effect.command, effect.cwd ?? null];
  const isKnown = EffectMapping.safeParse(effect).success;
  if (!isKnown || pointers.includes('') || new Set(pointers).size !== pointers.length) {
    throw new DomainError('invalid_request', '`effect` needs pointers to different members of the arguments.', { field: 'effect' });
  }
}
