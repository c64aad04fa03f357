import { canonicalize, keyed, unescapeString, type FingerprintKey } from '@counterfoil/canonical';
import type { AskedCall, FreeInput, ReportLegacyExecution } from '../commands.js';

/** The source under which tools of an old runtime stand, and may be registered. */
export const LEGACY_SOURCE = 'legacy';

/**
 * Tag `legacy`, over everything that a report says: the same report again is recognised by it, also after a restart, since the session's
 * key is pinned. Texts go in as their JSON spelling, in which lone surrogates are escaped and so stay distinct.
 */
export function legacyFingerprint(key: FingerprintKey, command: ReportLegacyExecution): string {
  const { args } = command;
  const facts = [
    textFact(command.action),
    args === null ? null : args.text.startsWith('"') || !command.arguments.ok ? freeFact(args) : `is:${command.arguments.canonical}`,
    freeFact(command.result),
    [command.success, command.authorized],
    [command.startedAt, command.completedAt],
    [textFact(command.receiptId), textFact(command.operationId)],
    [command.failure, command.exitCode],
    [freeFact(command.verifiedEffect), freeFact(command.acceptance)],
    [textFact(command.taskId), command.planId, command.generation],
  ];
  return keyed(key, 'legacy', canonicalize(facts));
}

const textFact = (value: string | null): string | null => (value === null ? null : JSON.stringify(value));

/** A string by what it says, however it is spelled; of anything else nobody knows better than its spelling. */
function freeFact(input: FreeInput | null): string | null {
  if (input === null) return null;
  const { text } = input;
  return text.startsWith('"') ? `text:${JSON.stringify(unescapeString(text, 0, text.length))}` : `raw:${JSON.stringify(text)}`;
}

/**
 * The call that a report is about. Its id is the old receipt's, marked as such, or made of the content and marked as made; never taken for
 * a native one, whatever it looks like.
 */
export function legacyCallOf(command: ReportLegacyExecution, fingerprint: string): AskedCall {
  const { receiptId, turn, toolName } = command;
  return {
    ...(receiptId === null
      ? { callId: `synthetic:${fingerprint}`, callIdSource: 'synthetic' as const }
      : { callId: `legacy:${receiptId}`, callIdSource: 'legacy' as const }),
    turn,
    tool: { source: LEGACY_SOURCE, name: toolName, declared: null },
    arguments: command.arguments,
    // The old runtime's word binds nothing: what it leads to is an inferred association.
    taskId: null,
  };
}
