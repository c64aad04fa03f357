import type { EventData, Outcome, Payload, Verification } from '@counterfoil/contracts';
import { derivedPayload } from './derived-payload.js';
import type { Generation3, Recorded } from './generations/shapes.js';
import type { StoredCall } from './stored-call.js';
import { signalOf } from './signals.js';

type Imported = EventData<'HistoricalReceiptImported'>;
type Part = (recorded: Recorded) => Payload;

const unchanged = (rest: string): string => rest;

/** Of a failure that generation 3 gave neither a code nor words: an error is never empty. */
const UNCLASSIFIED = 'unclassified';

function errorOf({ failure, error, success }: Generation3, generation: string, part: Part): Outcome['error'] {
  if (error !== null) return { code: failure, message: part(error) };
  if (failure !== null) return { code: failure, message: null };
  return generation === '3' && success === false ? { code: UNCLASSIFIED, message: null } : null;
}

function outcomeOf(call: Generation3, generation: string, part: Part): Outcome | null {
  const { success, exitCode } = call;
  if (success === null) return null;
  return {
    status: success ? 'succeeded' : 'failed',
    exitCode,
    signal: exitCode === null ? null : signalOf(exitCode),
    isError: null,
    error: errorOf(call, generation, part),
  };
}

function verificationOf({ verification: { state, method, observed } }: Generation3, part: Part): Verification {
  return { state, method, expected: null, before: null, after: observed === null ? null : part(observed), change: null };
}

/** The other half of an imported receipt: how it ended, from recorded flags and codes only. */
export function observed(data: Imported, { call, at }: StoredCall): EventData<'ToolCallObserved'> {
  const { receiptId, original, generation } = data;
  const { success, authorized, failure, result, startedAt, completedAt } = call;
  const part: Part = ({ value, key }) => derivedPayload(JSON.stringify(value), value, { original, at: `${at}/${key}`, place: unchanged });
  return {
    receiptId,
    status: success === null ? 'unknown' : success ? 'succeeded' : 'failed',
    outcome: outcomeOf(call, generation, part),
    recorded: { authorized, failure },
    result: result === null ? null : part(result),
    verification: verificationOf(call, part),
    times: { startedAt, completedAt },
    original,
  };
}
