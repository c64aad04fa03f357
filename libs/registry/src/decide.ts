import type { RegistryEvent } from '@counterfoil/contracts';
import type { RegistryCommand } from './commands.js';
import type { RegistryContext } from './context.js';
import { registerToolDecision } from './decisions/register-tool.js';
import { retireToolDecision } from './decisions/retire-tool.js';
import { setPolicyDecision } from './decisions/set-policy.js';
import type { RegistryState } from './state.js';

/**
 * What a command on the tools or the policy of a workspace leads to: one event, or none if all is already as it asks.
 *
 * @throws DomainError `identifier_is_secret`, `invalid_request`, `not_found`, `registry_full`, `tool_schema_invalid`,
 *   `tool_schema_secret`, `tool_schema_too_large`
 */
export function decideRegistry(state: RegistryState, command: RegistryCommand, context: RegistryContext): RegistryEvent[] {
  switch (command.type) {
    case 'RegisterTool':
      return registerToolDecision(state, command, context);
    case 'RetireTool':
      return retireToolDecision(state, command, context);
    case 'SetPolicy':
      return setPolicyDecision(state, command);
  }
}
