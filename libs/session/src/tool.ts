import type { ToolFacts } from '@counterfoil/contracts';

/**
 * What the ledger holds of a tool when a call of it is requested. A tool that is not registered is destructive, and neither its version
 * nor its spec is known (promise 12); what the client declares is kept beside and never used.
 */
export function assignTool(tool: { readonly source: string; readonly name: string }): Omit<ToolFacts, 'declared'> {
  return { source: tool.source, name: tool.name, version: null, specDigest: null, sideEffects: 'destructive' };
}
