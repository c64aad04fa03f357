import type { DocumentStore } from '@counterfoil/read-models';
import { eventually, MemoryEventStore, projectionFixture, start, TallyFeed, tallySet, type ProjectionFixture } from '@counterfoil/testing';
import { ProjectionEngine, rebuild, type Applied } from './index.js';

const set = tallySet();

describe('a rebuild has no side effects', () => {
  let fixture: ProjectionFixture;
  let docs: DocumentStore;
  let events: MemoryEventStore;
  let feed: TallyFeed;

  beforeEach(async () => {
    fixture = await projectionFixture();
    docs = await fixture.docs();
    events = new MemoryEventStore();
    feed = new TallyFeed(events);
  });
  afterEach(() => fixture.dispose());

  it.each(['by the engine itself', 'by another process'])('%s: no listener is told of an event again (case 56)', async (by) => {
    const told: Applied[] = [];
    const engine = new ProjectionEngine({ events, docs, set, batchSize: 20, leaseMs: 400 });
    engine.listen((applied) => told.push(applied));
    const running = start(engine);
    await engine.waitFor(await feed.fill(100, 4), 5000);
    told.length = 0;
    const { generation } =
      by === 'by the engine itself' ? await engine.rebuild() : await rebuild({ events, docs: await fixture.docs(), set, leaseMs: 400 });
    // It may still be on its way to the new generation: what it applied there is told, too, and it is of new events only.
    await eventually(async () => {
      await engine.waitFor(await feed.append('session-w1/s1', 7), 5000);
      return told.some((applied) => applied.generation === generation);
    });
    const touched = told.flatMap((applied) => [...(applied.touched.get('streams') ?? [])]);
    expect(new Set(touched)).toEqual(new Set(['session-w1/s1']));
    await running.stop();
  });

  it('appends no event, and touches no document of the live generation or of another set', async () => {
    const other = tallySet(2);
    await feed.fill(60, 3);
    await rebuild({ events, docs, set });
    await rebuild({ events, docs, set: other });
    const everything = async (): Promise<Record<string, unknown>> => {
      const found: Record<string, unknown> = {};
      for (const name of await docs.collections('tally_')) {
        if (name.startsWith('tally_v1_g3_')) continue;
        const { indexes } = set.projections.find((projection) => name.endsWith(`_${projection.name}`)) ?? { indexes: [] };
        const collection = await docs.collection<unknown>({ name, indexes });
        const documents: unknown[] = [];
        for await (const document of collection.scan()) documents.push(document);
        found[name] = documents;
      }
      return found;
    };
    const [before, head] = [await everything(), await events.head()];
    expect(Object.keys(before).length).toBeGreaterThanOrEqual(4);
    expect((await rebuild({ events, docs, set, graceMs: 60_000 })).generation).toBe(3);
    expect(await everything()).toEqual(before);
    expect(await events.head()).toBe(head);
  });
});
