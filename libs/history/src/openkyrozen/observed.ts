import type { EventData, Outcome, Payload, Verification } from '@counterfoil/contracts';
import { derivedPayload } from './derived-payload.js';
import type { ReceiptFacts } from './facts.js';
import { payloadPath } from './stored-facts.js';
import type { StoredFacts } from './stored-facts.js';
import { signalOf } from './signals.js';
import { verify } from './verification.js';

type Imported = EventData<'HistoricalReceiptImported'>;

const unchanged = (rest: string): string => rest;

function outcomeOf(facts: ReceiptFacts): Outcome | null {
  const { success, exitCode, failure } = facts;
  if (success === null) return null;
  return {
    status: success ? 'succeeded' : 'failed',
    exitCode,
    signal: exitCode === null ? null : signalOf(exitCode),
    isError: null,
    error: failure === null ? null : { code: failure, message: null },
  };
}

type Part = (key: string, value: unknown) => Payload;

function verificationOf(facts: ReceiptFacts, part: Part): Verification {
  const { state, method, observed } = verify(facts);
  const key = method === 'exit_status' ? 'exit_code' : 'verified_effect';
  return { state, method, expected: null, before: null, after: observed === undefined ? null : part(key, observed), change: null };
}

/** The other half of an imported receipt: how it ended, from recorded flags and codes only. */
export function observed({ receiptId, original }: Imported, { facts, encodings }: StoredFacts): EventData<'ToolCallObserved'> {
  const { success, authorized, failure, result, startedAt, completedAt } = facts;
  const part: Part = (key, value) =>
    derivedPayload(JSON.stringify(value), value, { original, at: payloadPath(encodings, key), place: unchanged });
  return {
    receiptId,
    status: success === null ? 'unknown' : success ? 'succeeded' : 'failed',
    outcome: outcomeOf(facts),
    recorded: { authorized, failure },
    result: result === null ? null : part('result', result),
    verification: verificationOf(facts, part),
    times: { startedAt, completedAt },
    original,
  };
}
