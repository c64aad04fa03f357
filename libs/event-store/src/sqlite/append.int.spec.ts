import Database from 'better-sqlite3';
import { CURRENT_VERSIONS } from '@counterfoil/contracts';
import { collect, eventOfBytes, rejectionOf, temporaryDirectory, textEvent, textEvents, textOf } from '@counterfoil/testing';
import { InvalidEventError, StoreUnavailableError, WrongExpectedRevisionError } from '../errors.js';
import { UpcastingRegistry } from '../upcasting/registry.js';
import { LEDGER_STEPS } from '../upcasting/steps/index.js';
import { verifyStore } from '../verify.js';
import { openDatabase } from './open.js';
import { openSqliteEventStore, SqliteEventStore } from './store.js';
import type { SqliteEventStoreOptions } from './store.js';

const registry = new UpcastingRegistry({ types: CURRENT_VERSIONS, steps: LEDGER_STEPS });
const at = temporaryDirectory();
const stores: SqliteEventStore[] = [];

async function openStore(options: Partial<SqliteEventStoreOptions> = {}): Promise<SqliteEventStore> {
  const store = await openSqliteEventStore({ file: at('events.db'), registry, ...options });
  stores.push(store);
  return store;
}

afterEach(async () => {
  await Promise.all(stores.splice(0).map((store) => store.close()));
});

/** Each session appends its events one after the other, waiting for each answer. */
async function session(store: SqliteEventStore, stream: string, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    await store.append({ stream, expected: index === 0 ? 'no_stream' : BigInt(index - 1), events: textEvents(stream, 1) });
  }
}

describe('appends of many sessions', () => {
  it('are committed together: 64 sessions at once take far fewer transactions than appends', async () => {
    const store = await openStore();
    await Promise.all(Array.from({ length: 64 }, (_, index) => session(store, `s${index}`, 10)));
    const stats = store.stats();
    expect(stats).toMatchObject({ appends: 640, events: 640, repeated: 0, refused: 0 });
    expect(stats.commits).toBeLessThanOrEqual(32);
    expect((await verifyStore(store)).ok).toBe(true);
  });

  it('keep a transaction bounded in events and in bytes', async () => {
    const store = await openStore({ batchEvents: 10, batchBytes: 300_000 });
    await Promise.all(
      Array.from({ length: 50 }, (_, index) => store.append({ stream: `s${index}`, expected: 'no_stream', events: textEvents('e', 2) })),
    );
    expect(store.stats().commits).toBe(10);
    await Promise.all(
      Array.from({ length: 4 }, (_, index) =>
        store.append({ stream: `b${index}`, expected: 'no_stream', events: [eventOfBytes(200_000)] }),
      ),
    );
    expect(store.stats().commits).toBe(14);
  });

  it('are stored in the order in which they came', async () => {
    const store = await openStore();
    const appends = Array.from({ length: 30 }, (_, index) =>
      store.append({ stream: 's', expected: index === 0 ? 'no_stream' : BigInt(index - 1), events: [textEvent(`${index}`)] }),
    );
    const results = await Promise.all(appends);
    expect(results.map((result) => result.revision)).toEqual(appends.map((_, index) => BigInt(index)));
    expect(store.stats().commits).toBe(1);
  });

  it('are refused when too much waits in memory', async () => {
    const store = await openStore({ queuedBytes: 250_000 });
    const first = store.append({ stream: 'a', expected: 'no_stream', events: [eventOfBytes(200_000)] });
    const second = store.append({ stream: 'b', expected: 'no_stream', events: [eventOfBytes(200_000)] });
    expect(await rejectionOf(second)).toBeInstanceOf(StoreUnavailableError);
    expect((await first).revision).toBe(0n);
    expect((await store.append({ stream: 'b', expected: 'no_stream', events: [eventOfBytes(200_000)] })).revision).toBe(0n);
  });
});

describe('two stores on one file', () => {
  it('take turns on one stream, and neither goes by what it remembers', async () => {
    const [one, two] = [await openStore(), await openStore()];
    for (let index = 0; index < 10; index++) {
      const [store, other] = index % 2 === 0 ? [one, two] : [two, one];
      const expected = index === 0 ? 'no_stream' : BigInt(index - 1);
      await store.append({ stream: 's', expected, events: [textEvent(`${index}`)] });
      const refusal = await rejectionOf(other.append({ stream: 's', expected, events: [textEvent('late')] }));
      expect(refusal).toMatchObject({ code: 'wrong_expected_revision', actual: BigInt(index) });
    }
    expect((await verifyStore(one)).ok).toBe(true);
  });

  it('at once lose nothing: positions without a gap, chains whole', async () => {
    const [one, two] = [await openStore(), await openStore()];
    await Promise.all([one, two].flatMap((store, index) => Array.from({ length: 8 }, (_, n) => session(store, `s${index}-${n}`, 10))));
    expect(await verifyStore(two)).toMatchObject({ ok: true, events: 160, streams: 16 });
  });
});

describe('an event id that is taken', () => {
  it('by another stream is refused, and only that append', async () => {
    const store = await openStore();
    const [event] = textEvents('taken', 1);
    await store.append({ stream: 'one', expected: 'no_stream', events: [event!] });
    const results = await Promise.allSettled([
      store.append({ stream: 'before', expected: 'no_stream', events: textEvents('before', 1) }),
      store.append({ stream: 'two', expected: 'no_stream', events: [textEvent('first'), event!] }),
      store.append({ stream: 'after', expected: 'no_stream', events: textEvents('after', 1) }),
    ]);
    expect(results.map((result) => result.status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(results[1]).toMatchObject({ reason: expect.any(InvalidEventError) as unknown });
    expect(await store.streamHead('two')).toBeNull();
    expect(store.stats()).toMatchObject({ refused: 1, events: 3 });
  });

  it('by the same stream at another place is a conflict', async () => {
    const store = await openStore();
    const events = textEvents('e', 2);
    await store.append({ stream: 'one', expected: 'no_stream', events });
    const again = store.append({ stream: 'one', expected: 1n, events: [events[0]!] });
    expect(await rejectionOf(again)).toBeInstanceOf(WrongExpectedRevisionError);
    expect(await collect(store.readStream('one'))).toHaveLength(2);
  });
});

describe('another process that holds the lock', () => {
  it('for a moment delays an append; the event loop stays free meanwhile', async () => {
    const store = await openStore();
    const other = new Database(at('events.db'));
    other.exec('BEGIN IMMEDIATE');
    let stored = false;
    const appending = store.append({ stream: 's', expected: 'no_stream', events: textEvents('e', 1) }).finally(() => (stored = true));
    const reading = await collect(store.readStored(null));
    while (store.stats().busy < 3) await new Promise((resolve) => setImmediate(resolve));
    expect([reading, stored]).toEqual([[], false]);
    other.exec('COMMIT');
    expect((await appending).revision).toBe(0n);
    other.close();
  });

  it('for too long fails what waits, and the store goes on', async () => {
    const store = await openStore({ maxWaitMs: 60 });
    const other = new Database(at('events.db'));
    other.exec('BEGIN IMMEDIATE');
    const request = { stream: 's', expected: 'no_stream' as const, events: textEvents('e', 1) };
    const problem = await rejectionOf(store.append(request));
    expect(problem).toBeInstanceOf(StoreUnavailableError);
    expect(String(problem)).toContain('locked');
    other.exec('ROLLBACK');
    other.close();
    expect(await store.append(request)).toMatchObject({ revision: 0n, repeated: false });
  });

  it('while the store closes: what waits is stored first', async () => {
    const store = await openStore();
    const other = new Database(at('events.db'));
    other.exec('BEGIN IMMEDIATE');
    const appending = store.append({ stream: 's', expected: 'no_stream', events: textEvents('e', 1) });
    const closing = store.close();
    while (store.stats().busy < 2) await new Promise((resolve) => setImmediate(resolve));
    other.exec('COMMIT');
    expect((await appending).revision).toBe(0n);
    await closing;
    other.close();
  });
});

describe('a full disk', () => {
  it('fails the append with nothing stored, and the store goes on when there is room', async () => {
    const settings = { create: true, file: at('events.db'), busyTimeoutMs: 5, maxWaitMs: 5000, createEpoch: () => 'e1' };
    const db = await openDatabase(settings);
    const store = new SqliteEventStore(db, { file: settings.file, registry }, 5000);
    stores.push(store);
    await store.append({ stream: 'small', expected: 'no_stream', events: textEvents('e', 1) });
    const pages = db.pragma('page_count', { simple: true }) as number;
    db.pragma(`max_page_count = ${pages + 20}`);
    const big = { stream: 'big', expected: 'no_stream' as const, events: [eventOfBytes(200_000)] };
    const together = { stream: 'together', expected: 'no_stream' as const, events: textEvents('e', 1) };
    const problems = await Promise.all([rejectionOf(store.append(together)), rejectionOf(store.append(big))]);
    for (const problem of problems) {
      expect(problem).toBeInstanceOf(StoreUnavailableError);
      expect(String(problem)).toContain('SQLITE_FULL');
    }
    expect(await store.head()).toBe(1n);
    // Another process takes the position that the failed transaction had given out: what was remembered of it must not count.
    const other = await openStore();
    await other.append({ stream: 'elsewhere', expected: 'no_stream', events: textEvents('e', 1) });
    expect((await store.append(together)).revision).toBe(0n);
    db.pragma('max_page_count = 100000');
    expect(await store.append(big)).toMatchObject({ revision: 0n, position: 4n, repeated: false });
    expect((await verifyStore(store)).ok).toBe(true);
  });
});

describe('a retry of what can not be read any more', () => {
  it('is refused by itself and disturbs no other append of its batch', async () => {
    const store = await openStore();
    const request = { stream: 'one', expected: 'no_stream' as const, events: textEvents('one', 1) };
    await store.append(request);
    const db = new Database(at('events.db'));
    db.exec('DROP TRIGGER events_no_update');
    db.exec(`UPDATE events SET data = 'no json'`);
    db.close();
    const results = await Promise.allSettled([
      store.append(request),
      store.append({ stream: 'two', expected: 'no_stream', events: textEvents('two', 1) }),
    ]);
    expect(results).toMatchObject([{ reason: { code: 'upcast_failed' } }, { value: { revision: 0n } }]);
    const batches = await collect(store.readAll(null));
    expect(batches.flatMap((batch) => batch.unreadable)).toMatchObject([{ stream: 'one', revision: 0n, position: 1n }]);
    expect(batches.flatMap((batch) => batch.events.map(textOf))).toEqual(['two 0']);
  });
});
