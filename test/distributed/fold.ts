import type { RawEvent } from './event-store.child.js';

/** What a receipt must say, folded from its session's stream without anything of the product. */
export interface FoldedCall {
  readonly sessionId: string;
  readonly receiptId: string;
  readonly callId: string;
  readonly operationId: string;
  readonly status: string;
  readonly attempt: string | null;
  readonly outcome: unknown;
  /** Digest of the result that was reported. */
  readonly resultDigest: string | null;
  /** Of the last event of the call. */
  readonly revision: string;
}

export interface FoldedSession {
  readonly calls: ReadonlyMap<string, FoldedCall>;
  readonly faults: readonly string[];
}

type Data = Readonly<Record<string, unknown>>;

/** Folds the stream of a session in which calls are requested, dispatched and reported, and nothing else happens. */
export function foldSession(sessionId: string, events: readonly RawEvent[]): FoldedSession {
  const calls = new Map<string, FoldedCall>();
  const faults: string[] = [];
  const ids = new Set<string>();
  for (const [at, { revision, id, type, data }] of events.entries()) {
    const place = `${sessionId} ${String(revision)} ${type}`;
    if (revision !== BigInt(at)) faults.push(`${place}: it stands at ${String(at)}`);
    if (ids.has(id)) faults.push(`${place}: its id was there before`);
    ids.add(id);
    const parsed = JSON.parse(data) as Data;
    if (type === 'SessionOpened') {
      if (at !== 0) faults.push(`${place}: it is not the first`);
      continue;
    }
    const receiptId = String(parsed['receiptId']);
    const next = foldCall(calls.get(receiptId), { sessionId, receiptId, revision: String(revision) }, type, parsed);
    if (next === null) faults.push(`${place}: it can't follow on ${calls.get(receiptId)?.status ?? 'nothing'}`);
    else calls.set(receiptId, next);
  }
  return { calls, faults };
}

/** Null for what can't follow. */
function foldCall(
  call: FoldedCall | undefined,
  place: Pick<FoldedCall, 'sessionId' | 'receiptId' | 'revision'>,
  type: string,
  data: Data,
): FoldedCall | null {
  if (call === undefined) {
    if (type !== 'ToolCallRequested') return null;
    const [callId, operationId] = [String(data['callId']), String(data['operationId'])];
    return { ...place, callId, operationId, status: 'requested', attempt: null, outcome: null, resultDigest: null };
  }
  if (type === 'ToolDispatched' && call.status === 'requested')
    return { ...call, ...place, status: 'dispatched', attempt: String(data['attempt']) };
  if (type !== 'ToolExecuted' || call.status !== 'dispatched' || data['attempt'] !== call.attempt) return null;
  const outcome = data['outcome'] as { readonly status: string };
  const { digest } = data['result'] as { readonly digest: string };
  return { ...call, ...place, status: outcome.status, outcome, resultDigest: digest };
}
