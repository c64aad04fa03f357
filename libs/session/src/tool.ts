import type { Duplicates, ToolFacts } from '@counterfoil/contracts';
import type { RegisteredTool } from './context.js';

/** What the ledger holds of a tool when a call of it is requested: later decisions about the call rest on it. */
export interface AssignedTool {
  readonly facts: Omit<ToolFacts, 'declared'>;
  readonly duplicates: Duplicates;
  readonly successExitCodes: readonly number[] | null;
}

/**
 * A tool that is not registered is destructive and refuses duplicates in a turn; neither its version nor its spec is known (promise
 * 12). What the client declares is kept beside and never used.
 */
export function assignTool(tool: { readonly source: string; readonly name: string }, registered: RegisteredTool | null): AssignedTool {
  const { source, name } = tool;
  if (registered === null) {
    const facts = { source, name, version: null, specDigest: null, sideEffects: 'destructive' } as const;
    return { facts, duplicates: 'refuse_in_turn', successExitCodes: null };
  }
  const { version, specDigest, sideEffects, duplicates, successExitCodes } = registered.spec;
  return { facts: { source, name, version, specDigest, sideEffects }, duplicates, successExitCodes };
}
