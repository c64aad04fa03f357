import { pythonStrip, sha256Hex } from '@counterfoil/canonical';
import { isWhole } from './fidelity.js';
import type { DigestVerdicts, KeptArguments } from './fidelity.js';

const OPERATION_ID_DIGITS = 32;
const SHA256 = /^[0-9a-f]{64}$/i;

/** The old operation id: the first 32 hex digits of SHA-256 over scope, NUL, canonical action, NUL, argument text. */
export function oldOperationId(scope: string, tool: string, args: string): string {
  return sha256Hex(`${scope}\0${tool}\0${args}`).slice(0, OPERATION_ID_DIGITS);
}

/** The digest of generation 2: SHA-256 over the argument text with line breaks as blanks, and no blanks around it. Lower-case hex. */
export function oldArgumentsDigest(args: string): string {
  return sha256Hex(pythonStrip(args.replaceAll('\r\n', '\n').replaceAll('\n', ' ')));
}

/** The old digests of a call, as recorded. */
export interface OldDigests {
  readonly operationId: string | null;
  /** Any value; generation 2 wrote null where it had rebuilt a receipt of generation 1. */
  readonly argsSha256: unknown;
}

/**
 * What the old digests say, recomputed where the record holds what went into them.
 *
 * - The operation id: its scope (a learning run, a JSON-RPC id, a profile, a task) is in few records, and its arguments had line breaks
 *   that the stored ones have lost. So a match proves that scope and arguments are exactly these; the lack of one proves nothing.
 * - The argument digest: over the arguments before redaction and cut. A difference is to be expected where those are known to have been
 *   at work; in arguments that are whole it means that one of the two was changed.
 *
 * @param scopes what is recorded and may have been the scope
 */
export function digestVerdicts(kept: KeptArguments, old: OldDigests, scopes: readonly (string | null)[]): DigestVerdicts {
  const { value: text, tool } = kept;
  if (typeof text !== 'string') return { args: null, operation: null };
  const isScope = (scope: string | null): boolean => scope !== null && oldOperationId(scope, tool, text) === old.operationId;
  return { operation: old.operationId !== null && scopes.some(isScope) ? 'match' : null, args: argumentsVerdict(kept, old.argsSha256) };
}

function argumentsVerdict(kept: KeptArguments, recorded: unknown): DigestVerdicts['args'] {
  const { value: text } = kept;
  if (typeof text !== 'string' || typeof recorded !== 'string' || !SHA256.test(recorded)) return null;
  // A carriage return before a line break was kept where the line break became a blank.
  const candidates = [text, text.replaceAll('\r ', ' ')];
  if (candidates.some((candidate) => oldArgumentsDigest(candidate) === recorded.toLowerCase())) return 'match';
  return isWhole(kept) ? 'mismatch' : null;
}

/** Both verdicts as the one that a receipt states. */
export function fingerprintOf({ args, operation }: DigestVerdicts): 'match' | 'mismatch' | 'not_recomputable' {
  if (args === 'mismatch') return 'mismatch';
  return args === 'match' || operation === 'match' ? 'match' : 'not_recomputable';
}
