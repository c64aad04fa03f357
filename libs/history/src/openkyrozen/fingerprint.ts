import { sha256Hex } from '@counterfoil/canonical';
import type { ReceiptFacts } from './facts.js';

const OPERATION_ID_DIGITS = 32;

/** The old operation id: the first 32 hex digits of SHA-256 over scope, NUL, canonical action, NUL, argument text. */
export function oldOperationId(scope: string, tool: string, args: string): string {
  return sha256Hex(`${scope}\0${tool}\0${args}`).slice(0, OPERATION_ID_DIGITS);
}

/**
 * Whether the old operation id agrees with what is recorded. A generation 1 row doesn't record the scope that went into it (a learning
 * run, a JSON-RPC id, a profile), nor the arguments before the cut and redaction. So a match proves that arguments and scope are
 * exactly these; the lack of one proves nothing, and is never called a mismatch.
 *
 * @param scopes what is recorded and may have been the scope: the ids of tasks
 */
export function fingerprintVerdict(facts: ReceiptFacts, scopes: readonly (string | null)[]): 'match' | 'not_recomputable' {
  const { arguments: recorded, operationId, tool } = facts;
  if (recorded.kind !== 'text' || operationId === null) return 'not_recomputable';
  const matches = (scope: string | null): boolean => scope !== null && oldOperationId(scope, tool, recorded.text) === operationId;
  return scopes.some(matches) ? 'match' : 'not_recomputable';
}
