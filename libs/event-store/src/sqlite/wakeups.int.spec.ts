import { CURRENT_VERSIONS } from '@counterfoil/contracts';
import { temporaryDirectory, textEvent, textOf } from '@counterfoil/testing';
import { UpcastingRegistry } from '../upcasting/registry.js';
import { LEDGER_STEPS } from '../upcasting/steps/index.js';
import { openSqliteEventStore } from './store.js';
import type { SqliteEventStore } from './store.js';
import { Wakeups } from './wakeups.js';

const registry = new UpcastingRegistry({ types: CURRENT_VERSIONS, steps: LEDGER_STEPS });
const at = temporaryDirectory();
const NEVER = 2 ** 31 - 1;
const openStore = (): Promise<SqliteEventStore> => openSqliteEventStore({ file: at('events.db'), registry, pollMs: NEVER });

describe('without any polling', () => {
  it('a subscription is woken by each append of its own process', async () => {
    const store = await openStore();
    const abort = new AbortController();
    const seen: string[] = [];
    for await (const batch of store.subscribeAll({ after: null, signal: abort.signal })) {
      seen.push(...batch.events.map(textOf));
      if (seen.length === 5) abort.abort();
      else if (batch.caughtUp) {
        const expected = seen.length === 0 ? 'no_stream' : BigInt(seen.length - 1);
        setTimeout(() => void store.append({ stream: 's', expected, events: [textEvent(`${seen.length}`)] }), 1);
      }
    }
    expect(seen).toEqual(['0', '1', '2', '3', '4']);
    await store.close();
  });

  it('a subscription that waits ends at once when it is aborted', async () => {
    const store = await openStore();
    const abort = new AbortController();
    const subscription = store.subscribeAll({ after: null, signal: abort.signal });
    expect((await subscription.next()).value).toMatchObject({ caughtUp: true });
    const waiting = subscription.next();
    setTimeout(() => abort.abort(), 1);
    expect(await waiting).toEqual({ done: true, value: undefined });
    await store.close();
  });
});

describe('polling', () => {
  const { signal } = new AbortController();

  it('wakes who waits when somebody else appended, and only then', async () => {
    const heads = [3n, 3n, 3n, 4n];
    let asked = 0;
    const wakeups = new Wakeups(1, () => heads[Math.min(asked++, 3)] ?? 0n);
    wakeups.committed(3n);
    await wakeups.beyond(3n, signal);
    expect(asked).toBe(4);
  });

  it('goes on while the store is locked, and tells who waits of any other failure', async () => {
    const failures = ['SQLITE_BUSY', 'SQLITE_BUSY', 'SQLITE_IOERR_READ'].map((code) =>
      Object.assign(new Error(code), { name: 'SqliteError', code }),
    );
    const wakeups = new Wakeups(1, () => {
      throw failures.shift() ?? new Error('asked once too often');
    });
    await expect(wakeups.beyond(0n, signal)).rejects.toMatchObject({
      code: 'store_unavailable',
      message: expect.stringContaining('IOERR') as unknown,
    });
    expect(failures).toEqual([]);
  });

  it('does not wake a listener for what was there before it', async () => {
    const heard: bigint[] = [];
    const wakeups = new Wakeups(1, () => (heard.length === 0 ? 7n : 8n));
    const unlisten = wakeups.listen((position) => heard.push(position));
    wakeups.committed(8n);
    unlisten();
    expect(heard).toEqual([8n]);
  });
});
