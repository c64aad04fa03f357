import { isDeepStrictEqual } from 'node:util';
import type { MongoClient } from 'mongodb';
import type { Http } from '../demo/agent.js';
import type { ChainsReport } from './chains.js';
import type { FoldedCall } from './fold.js';

interface Page {
  readonly items: readonly Shown[];
  readonly nextCursor: string | null;
}

/** What is compared of a receipt. */
interface Shown {
  readonly sessionId: string;
  readonly receiptId: string;
  readonly callId: string;
  readonly operationId: string;
  readonly status: string;
  readonly attempt: string | null;
  readonly outcome: unknown;
  readonly result: { readonly digest: string } | null;
  readonly revision: string;
}

const PAGE = 200;
const MOST_TRIES = 60;

/** Waits until a server shows everything that was recorded before. @throws Error when it takes too long */
export async function caughtUp(admin: Http, name: string): Promise<string> {
  // A key's creation is the newest position; a query over the workspace that waits for it waits for everything before.
  const { position } = await admin.call<{ position: string }>('POST', '/v1/keys', { principal: `person:${name}`, roles: ['auditor'] });
  for (let n = 0; n < MOST_TRIES; n++) {
    const { status } = await admin.raw('GET', '/v1/receipts?limit=1', undefined, { 'counterfoil-min-position': position });
    if (status === 200) return position;
  }
  throw new Error('the read models did not catch up');
}

/** Every receipt that a server shows, against the fold; nothing may be missing, and nothing be there beside it. */
export async function checkReceipts(admin: Http, name: string, calls: ReadonlyMap<string, FoldedCall>): Promise<readonly string[]> {
  const faults: string[] = [];
  const seen = new Set<string>();
  for (let cursor: string | null = null; ;) {
    const query: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`;
    const { items, nextCursor }: Page = await admin.call<Page>('GET', `/v1/receipts?limit=${String(PAGE)}${query}`);
    for (const shown of items) {
      const call = calls.get(shown.receiptId);
      if (seen.has(shown.receiptId)) faults.push(`${name} shows ${shown.receiptId} twice`);
      seen.add(shown.receiptId);
      if (call === undefined) faults.push(`${name} shows ${shown.receiptId}, which is in no stream`);
      else if (!isSame(comparable(shown), call))
        faults.push(`${name} shows ${JSON.stringify(comparable(shown))} for ${JSON.stringify(call)}`);
    }
    cursor = nextCursor;
    if (cursor === null) break;
  }
  if (seen.size !== calls.size) faults.push(`${name} shows ${String(seen.size)} receipts of ${String(calls.size)}`);
  return faults;
}

function comparable({ sessionId, receiptId, callId, operationId, status, attempt, outcome, result, revision }: Shown): FoldedCall {
  return { sessionId, receiptId, callId, operationId, status, attempt, outcome, resultDigest: result?.digest ?? null, revision };
}

/** Both as they come out of JSON here: what fetch gave may be of another realm, which counts as another type. */
const isSame = (a: unknown, b: unknown): boolean => isDeepStrictEqual(JSON.parse(JSON.stringify(a)), JSON.parse(JSON.stringify(b)));

interface Row {
  readonly _id: string;
  readonly guard?: bigint | number;
  readonly revision?: bigint | number;
}

/** What lies in the database is what the record ends with: nothing was written past the proxies, and nothing that they saw is missing. */
export async function checkRecordIsWhole(client: MongoClient, database: string, ends: ChainsReport['ends']): Promise<readonly string[]> {
  const faults: string[] = [];
  let found = 0;
  const db = client.db(database);
  const names = (await db.listCollections().toArray())
    .map(({ name }) => name)
    .filter((name) => name === 'control' || name.startsWith('d_'));
  for (const name of names) {
    const rows = db.collection<Row>(name).find({}, { projection: { guard: 1, revision: 1 }, useBigInt64: true });
    for await (const { _id, guard, revision } of rows) {
      if (_id === '') continue;
      found++;
      const [key, now] = [`${name} ${_id}`, BigInt(guard ?? revision ?? -1)];
      const end = ends.get(key);
      if (end !== now) faults.push(`${key} is at ${String(now)}, and by the record at ${String(end)}`);
    }
  }
  if (found !== ends.size) faults.push(`the database holds ${String(found)} documents, the record ${String(ends.size)}`);
  return faults;
}
