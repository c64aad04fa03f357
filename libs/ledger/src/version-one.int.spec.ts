import { join } from 'node:path';
import { CURRENT_VERSIONS, STORED_EVENTS, type NewEvent, type StoredEvent } from '@counterfoil/contracts';
import { openSqliteEventStore, UpcastingRegistry, verifyStore } from '@counterfoil/event-store';
import { start } from '@counterfoil/testing';
import type { Ledger } from './ledger.js';
import { openLedger } from './open-ledger.js';
import { inFile } from './stores/locations.js';
import { playEveryEnd, type EndedCall } from './testing/every-end.js';
import {
  AGENT,
  callOf,
  dispatch,
  openSession,
  readCall,
  report,
  request,
  send,
  testLedger,
  type TestLedger,
} from './testing/test-ledger.js';

/** What was added to each event since its first version. */
const ADDED: Readonly<Record<string, readonly string[]>> = {
  SessionOpened: ['rootSessionId'],
  ToolCallRequested: ['policyVersion', 'rootSessionId', 'duplicates', 'successExitCodes', 'expectation'],
  ToolDispatched: ['planId', 'taskId', 'outdates'],
};

const without = (fields: readonly string[], data: object): object =>
  Object.fromEntries(Object.entries(data).filter(([name]) => !fields.includes(name)));

/** The store as the first release had it: its versions, its schemas. */
const FIRST_RELEASE = {
  registry: new UpcastingRegistry({ types: { ...CURRENT_VERSIONS, SessionOpened: 1, ToolCallRequested: 1, ToolDispatched: 1 }, steps: [] }),
  schemas: {
    ...STORED_EVENTS,
    SessionOpened: STORED_EVENTS.SessionOpened.omit({ rootSessionId: true }),
    ToolCallRequested: STORED_EVENTS.ToolCallRequested.omit({
      policyVersion: true,
      rootSessionId: true,
      duplicates: true,
      successExitCodes: true,
      expectation: true,
    }),
    ToolDispatched: STORED_EVENTS.ToolDispatched.omit({ planId: true, taskId: true, outdates: true }),
  },
};

const asFirstWritten = ({ id, type, version, data, metadata: { integrity: _, ...metadata } }: StoredEvent): NewEvent => {
  const fields = Object.hasOwn(ADDED, type) ? ADDED[type] : undefined;
  if (fields === undefined) return { id, type, version: Number(version), data, metadata };
  expect(Object.keys(data as object)).toEqual(expect.arrayContaining([...fields]));
  return { id, type, version: 1, data: without(fields, data as object), metadata };
};

/** Writes a ledger's events as the first release wrote them, at the same positions, into another file. */
async function rewritten(ledger: Ledger, file: string): Promise<void> {
  const store = await openSqliteEventStore({ file, ...FIRST_RELEASE });
  for await (const event of ledger.store.readStored(null)) {
    const expected = event.revision === 0n ? 'no_stream' : event.revision - 1n;
    await store.append({ stream: event.stream, expected, events: [asFirstWritten(event)] });
  }
  await store.close();
}

/** All documents of a ledger's read models. The root of a lineage was not recorded with a call then. */
async function documentsOf(ledger: Ledger): Promise<Record<string, unknown[]>> {
  const running = start(ledger.engine);
  try {
    const models = await ledger.readModels(await ledger.store.head(), 30_000);
    const found: Record<string, unknown[]> = { receipts: [], approvals: [], sessions: [] };
    for await (const { id, doc } of models.receipts.scan()) found['receipts']?.push([id, doc && without(['rootSessionId'], doc)]);
    for await (const { id, doc } of models.approvals.scan()) found['approvals']?.push([id, doc]);
    for await (const { id, doc } of models.sessions.scan()) found['sessions']?.push([id, doc]);
    return found;
  } finally {
    await running.stop();
  }
}

/** A session that stays open. */
const OPEN = { workspaceId: 'default', sessionId: 's2' };
const ATTEMPT = '00000000-0000-4000-8000-000000000001';
const SAME = { turn: 'over and over' };

async function runOnce(ledger: Ledger, callId: string): Promise<void> {
  await send(ledger, openSession(OPEN), AGENT, OPEN);
  const call = callOf(await send(ledger, request(callId, { n: 1 }, SAME), AGENT, OPEN));
  await send(ledger, dispatch(call, ATTEMPT), AGENT, OPEN);
  await send(ledger, report(call.receiptId, ATTEMPT), AGENT, OPEN);
}

let test: TestLedger;
let today: Ledger;
let old: Ledger;
let calls: readonly EndedCall[];

beforeAll(async () => {
  test = await testLedger();
  today = await test.open();
  ({ calls } = await playEveryEnd(test, today, ['call_0', '__proto__', '호출 "/']));
  await runOnce(today, 'before');
  const file = join(test.directory, 'first-release.db');
  await rewritten(today, file);
  const settings = { ...inFile(file), keysDirectory: join(test.directory, 'keys') };
  old = await openLedger(settings, { createKeys: false, now: () => test.now });
});

afterAll(async () => {
  await old.close();
  await test.dispose();
});

describe('a ledger file of the first release', () => {
  it('holds events of version 1, and is sound', async () => {
    const versions = new Map<string, Set<unknown>>();
    for await (const { type, version } of old.store.readStored(null)) versions.set(type, (versions.get(type) ?? new Set()).add(version));
    for (const type of Object.keys(ADDED)) expect([...(versions.get(type) ?? [])].map(Number)).toEqual([1]);
    expect((await verifyStore(old.store)).faults).toEqual([]);
  });

  it('folds like one that is written today', async () => {
    expect(calls.length).toBeGreaterThan(30);
    for (const { receiptId } of calls) {
      expect(await readCall(old, receiptId)).toEqual(await readCall(today, receiptId));
    }
  });

  it('projects like one that is written today', async () => {
    const documents = await documentsOf(old);
    expect(documents).toEqual(await documentsOf(today));
    expect(documents['receipts']?.length).toBeGreaterThan(30);
    expect(documents['sessions']).toHaveLength(2);
  });

  it('is gone on with: its sessions take calls, and what ran before counts as run', async () => {
    const again = callOf(await send(old, request('after', { n: 1 }, SAME), AGENT, OPEN));
    const refused = callOf(await send(old, dispatch(again), AGENT, OPEN));
    expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'duplicate_operation' } });
    const other = callOf(await send(old, request('other', { n: 2 }, SAME), AGENT, OPEN));
    expect(callOf(await send(old, dispatch(other), AGENT, OPEN)).status).toBe('dispatched');
    // The same request as before the change is still the same request.
    expect(await send(old, request('before', { n: 1 }, SAME), AGENT, OPEN)).toMatchObject({ added: 0, call: { status: 'succeeded' } });
    expect((await verifyStore(old.store)).faults).toEqual([]);
  });
});
