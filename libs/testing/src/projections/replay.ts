import { isLedgerEvent } from '@counterfoil/contracts';
import type { EventStore } from '@counterfoil/event-store';
import { touchedIds, type DocumentStore, type ProjectionSet } from '@counterfoil/read-models';

/** Positions from which streams are left out. */
export type LeftOut = Readonly<Record<string, bigint>>;

/** The plainest replay there is: every event once, in order, in memory. Documents as JSON text, by projection and id. */
export async function replayed(set: ProjectionSet, events: EventStore, leftOut: LeftOut = {}): Promise<ReadonlyMap<string, string>> {
  const docs = new Map<string, unknown>();
  for await (const batch of events.readAll(null)) {
    for (const event of batch.events) {
      const from = leftOut[event.stream];
      if (!isLedgerEvent(event) || (from !== undefined && event.position >= from)) continue;
      for (const projection of set.projections) {
        for (const id of touchedIds(projection, event)) {
          const key = `${projection.name}:${id}`;
          docs.set(key, projection.evolve(docs.get(key) ?? null, event, id));
        }
      }
    }
  }
  return new Map([...docs].filter(([, doc]) => doc !== null).map(([key, doc]) => [key, JSON.stringify(doc)]));
}

/** The documents of a generation as `replayed` gives them. */
export async function projected(docs: DocumentStore, set: ProjectionSet, generation: number): Promise<ReadonlyMap<string, string>> {
  const all = new Map<string, string>();
  for (const { name, indexes } of set.projections) {
    const collection = await docs.collection<unknown>({ name: `${set.name}_v${set.version}_g${generation}_${name}`, indexes });
    for await (const { id, doc } of collection.scan()) if (doc !== null) all.set(`${name}:${id}`, JSON.stringify(doc));
  }
  return all;
}

/** Expects a generation to hold exactly what a plain replay gives. */
export async function expectReplayed(
  docs: DocumentStore,
  set: ProjectionSet,
  generation: number,
  events: EventStore,
  leftOut: LeftOut = {},
): Promise<void> {
  const [actual, expected] = [await projected(docs, set, generation), await replayed(set, events, leftOut)];
  expect(Object.fromEntries([...actual].sort())).toEqual(Object.fromEntries([...expected].sort()));
}
