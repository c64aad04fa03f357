import { join } from 'node:path';
import { openEventStoreDb, openSqliteEventStore, type EventStoreDbTiming } from '@counterfoil/event-store';
import {
  collect,
  newEvent,
  startTestEventStoreDb,
  temporaryDirectory,
  textEvent,
  textEvents,
  type TestEventStoreDb,
} from '@counterfoil/testing';
import type { StoredEvent } from '@counterfoil/contracts';
import { createRegistry } from '../registry.js';
import type { LedgerStore } from '../stores/open-stores.js';

/** Of stores that answer at once: short where a test has to wait, long enough for a busy machine. */
const QUICK: Partial<EventStoreDbTiming> = { sealCheckMs: 100, firstPauseMs: 5, longestPauseMs: 50 };

export interface CopyPlaces {
  /** The store in a file of this name. */
  file(name: string): Promise<LedgerStore>;
  /** The store under this prefix in a test server that all tests of the group share. */
  server(prefix: string, timing?: Partial<EventStoreDbTiming>): Promise<LedgerStore>;
  testServer(): TestEventStoreDb;
  path(name: string): string;
}

/** Places to copy ledgers from and to, for each test of a group; what was opened is closed after it. */
export function copyPlaces(): CopyPlaces {
  const at = temporaryDirectory();
  const opened: LedgerStore[] = [];
  let server: TestEventStoreDb | undefined;
  beforeEach(async () => {
    server = await startTestEventStoreDb();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((store) => store.close()));
    await server?.stop();
  });
  const running = (): TestEventStoreDb => {
    if (server === undefined) throw new Error('a server is there within a test only');
    return server;
  };
  const kept = (store: LedgerStore): LedgerStore => {
    opened.push(store);
    return store;
  };
  return {
    file: async (name) => kept(await openSqliteEventStore({ file: at(name), registry: createRegistry() })),
    server: async (streamPrefix, timing = {}) => {
      const { connectionString } = running();
      return kept(await openEventStoreDb({ connectionString, streamPrefix, registry: createRegistry(), timing: { ...QUICK, ...timing } }));
    },
    testServer: running,
    path: (name) => join(at(name)),
  };
}

/** Interleaves so many streams of so many events each, and one of `access`. */
export async function fill(store: LedgerStore, streams: number, events: number): Promise<void> {
  for (let n = 0; n < events; n++) {
    const all = Array.from({ length: streams }, (_, s) => {
      const expected = n === 0 ? ('no_stream' as const) : BigInt(n - 1);
      return store.append({ stream: `session-default/s${String(s)}`, expected, events: [textEvent(`s${String(s)} ${String(n)}`)] });
    });
    await Promise.all(all);
  }
  await store.append({ stream: 'access', expected: 'no_stream', events: [revoked('key1')] });
  await store.append({ stream: 'history-default/many', expected: 'no_stream', events: textEvents('many', 300) });
}

export const revoked = (keyId: string): ReturnType<typeof newEvent> => newEvent({ type: 'PrincipalKeyRevoked', data: { keyId } });

/** Everything that moves, by stream: all but the end of the ledger and positions. */
export async function movable(store: LedgerStore): Promise<Record<string, Omit<StoredEvent, 'position'>[]>> {
  const streams: Record<string, Omit<StoredEvent, 'position'>[]> = {};
  for (const { position: _, ...event } of await collect(store.readStored(null))) {
    if (event.type !== 'LedgerSealed') (streams[event.stream] ??= []).push(event);
  }
  return streams;
}
