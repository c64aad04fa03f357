import { DomainError, type RegistryEvent } from '@counterfoil/contracts';
import { redactRecord } from '@counterfoil/redaction';
import type { RetireTool } from '../commands.js';
import type { RegistryContext } from '../context.js';
import { toolKey, type RegistryState } from '../state.js';

/** Takes a tool out of the registry: its next call is one of a tool that is not registered. Again is the same. */
export function retireToolDecision(state: RegistryState, command: RetireTool, context: RegistryContext): RegistryEvent[] {
  const { workspaceId, source, name } = command;
  const key = toolKey(source, name);
  if (state.retired.has(key)) return [];
  if (!state.tools.has(key)) throw new DomainError('not_found', 'There is no such tool.');
  const { reason } = redactRecord({ reason: command.reason }, { key: context.key, known: [] }).payloads;
  return [{ type: 'ToolRetired', data: { workspaceId, source, name, reason } }];
}
