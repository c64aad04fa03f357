import type { DocumentStore } from '@counterfoil/read-models';
import { MemoryEventStore, projectionFixture, start, TallyFeed, tallySet, type ProjectionFixture } from '@counterfoil/testing';
import { Checkpoint, readReached } from './checkpoint.js';
import { ProjectionEngine, rebuild } from './index.js';

const set = tallySet();

describe('a checkpoint', () => {
  let fixture: ProjectionFixture;
  let docs: DocumentStore;
  let events: MemoryEventStore;
  let last: bigint;

  beforeEach(async () => {
    fixture = await projectionFixture();
    docs = await fixture.docs();
    events = new MemoryEventStore({ epoch: 'e1' });
    last = await new TallyFeed(events).fill(30, 2);
  });
  afterEach(() => fixture.dispose());

  const take = (epoch: number, by: 'live' | 'rebuild' = 'live', store = events) => Checkpoint.take(docs, store, set, 1, { by, epoch });
  const position = async () => (await readReached(docs, set, 1))?.position;

  it('begins at nothing and only moves forward', async () => {
    const checkpoint = await take(1);
    expect(await readReached(docs, set, 1)).toEqual({ position: 0n, epoch: 'e1' });
    await checkpoint.advance(9n, null);
    await checkpoint.advance(4n, null);
    await checkpoint.advance(9n, null);
    expect(await position()).toBe(9n);
    expect((await take(1)).position).toBe(9n);
  });

  it('is moved neither forward nor back by an owner that was replaced', async () => {
    const old = await take(1);
    await old.advance(5n, null);
    const current = await take(2);
    await expect(old.advance(8n, null)).rejects.toMatchObject({ code: 'lease_lost' });
    await current.advance(7n, null);
    await expect(old.advance(12n, null)).rejects.toMatchObject({ code: 'lease_lost' });
    expect(await position()).toBe(7n);
  });

  it('is not taken by an owner that slept before it ever had it', async () => {
    await take(2);
    await expect(take(1)).rejects.toMatchObject({ code: 'lease_lost' });
    await expect(take(9, 'rebuild')).rejects.toMatchObject({ code: 'lease_lost' });
  });

  it('passes from a rebuild to a live engine, whatever the epochs of their leases', async () => {
    const building = await take(7, 'rebuild');
    await building.advance(6n, null);
    expect((await take(1, 'live')).position).toBe(6n);
    await expect(building.advance(8n, null)).rejects.toMatchObject({ code: 'lease_lost' });
  });

  describe('that does not belong to the store', () => {
    const projectAll = async () => {
      const engine = new ProjectionEngine({ events, docs, set, leaseMs: 400 });
      const running = start(engine);
      await engine.waitFor(last, 5000);
      await running.stop();
    };
    const other = (epoch: string, name: number) => {
      const store = new MemoryEventStore({ epoch });
      return { store, feed: new TallyFeed(store, name) };
    };

    it.each([
      ['another epoch', async () => other('e2', 0)],
      ['fewer events', async () => other('e1', 0)],
      [
        'another event at that position',
        async () => {
          const diverged = other('e1', 7);
          await diverged.feed.fill(60, 2);
          return diverged;
        },
      ],
    ])('(%s) stops the engine, which says so and changes nothing; a rebuild heals it', async (_, makeOther) => {
      await projectAll();
      const { store, feed } = await makeOther();
      const faults: unknown[] = [];
      const engine = new ProjectionEngine({ events: store, docs, set, leaseMs: 400, onFault: (error) => faults.push(error) });
      await expect(engine.run(new AbortController().signal)).rejects.toMatchObject({ code: 'checkpoint_ahead_of_store' });
      expect(await engine.status()).toMatchObject({
        state: 'failed',
        generation: 1,
        position: last,
        fault: { code: 'checkpoint_ahead_of_store' },
      });
      expect(faults).toHaveLength(1);
      await feed.append('healed', 1, 2);
      const { generation } = await rebuild({ events: store, docs, set });
      const running = start(engine);
      const newest = await feed.append('healed', 3);
      await engine.waitFor(newest, 5000);
      expect(await engine.status()).toMatchObject({ state: 'running', generation, position: newest });
      expect((await (await engine.readModels.collection<{ count: number }>('streams')).get('healed'))?.doc).toMatchObject({ count: 4 });
      await running.stop();
    });
  });
});
