/** Failures after which OpenKyrozen never ran the tool, whatever `authorized` says. Frozen: the words of a runtime of the past. */
const NEVER_RAN: ReadonlySet<string> = new Set([
  'unknown_tool',
  'capability_denied',
  'invalid_configuration',
  'approval_denied',
  'invalid_arguments',
  'plan_action_mismatch',
  'duplicate_operation',
  'denied',
]);

/** Whether the old runtime ran a call, by its typed fields: the authorisation that it recorded, and its failure code. */
export function oldRuntimeRan({ authorized, failure }: { readonly authorized: boolean | null; readonly failure: string | null }): boolean {
  return authorized !== false && !(failure !== null && NEVER_RAN.has(failure));
}
