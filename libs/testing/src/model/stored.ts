import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CURRENT_VERSIONS, type LedgerEvent, type NewEvent, type RecordedEvent } from '@counterfoil/contracts';
import { LEDGER_STEPS, openSqliteEventStore, UpcastingRegistry, verifyStore, type SqliteEventStore } from '@counterfoil/event-store';
import type { World } from './world.js';

/** So many events go into one append at most: they may be large, and an append has its limit. */
const TOGETHER = 20;

/**
 * Stores what a history has recorded in a ledger's own store: its hash chains verify, and the read models built again from what is read
 * back are those that were kept while it was played (promises 26, 29).
 *
 * @throws Error naming what differs
 */
export async function mustBeStored(world: World): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'counterfoil-model-'));
  const registry = new UpcastingRegistry({ types: CURRENT_VERSIONS, steps: LEDGER_STEPS });
  try {
    const store = await openSqliteEventStore({ file: join(directory, 'events.db'), registry });
    try {
      await append(store, world.models.events);
      const { ok, events, faults } = await verifyStore(store);
      if (!ok || events !== world.models.events.length) throw new Error(`the chain of ${events} events: ${JSON.stringify(faults)}`);
      const read: RecordedEvent[] = [];
      for await (const batch of store.readAll(null)) read.push(...batch.events);
      world.models.mustEqualRebuilt(read);
    } finally {
      await store.close();
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function append(store: SqliteEventStore, events: readonly LedgerEvent[]): Promise<void> {
  for (let from = 0; from < events.length;) {
    const { stream, revision } = events[from] ?? { stream: '', revision: 0n };
    let to = from + 1;
    while (to < events.length && to - from < TOGETHER && events[to]?.stream === stream) to++;
    const expected = revision === 0n ? 'no_stream' : revision - 1n;
    await store.append({ stream, expected, events: events.slice(from, to).map(asNew) });
    from = to;
  }
}

function asNew({ id, type, data, metadata: { integrity: _integrity, ...metadata } }: LedgerEvent): NewEvent {
  return { id, type, version: CURRENT_VERSIONS[type], data, metadata };
}
