import type { ControlDocument, DocumentStore } from '@counterfoil/read-models';
import { MemoryEventStore, tallySet } from '@counterfoil/testing';
import { partitionKey, slotKey } from '../names.js';
import { settingsOf } from '../settings.js';
import { Ownership } from './ownership.js';
import { Slots } from './slots.js';
import { expectSpread, LEASE_MS, ownershipScene, PARTITIONS } from './testing/ownership-scene.js';

describe('owning partitions', () => {
  const scene = ownershipScene();

  it('goes to the others when a process has stood still for its lease, not before, and the late one is told so', async () => {
    const [one, two, late] = [await scene.join(), await scene.join(), await scene.join()];
    await scene.beatAll([one, two, late]);
    const before = late.has;
    expect(before.length).toBeGreaterThan(0);
    // They see its last beat.
    await scene.beatAll([one, two], 1);
    for (const step of [400, 400, 199]) {
      scene.now += step;
      await scene.beatAll([one, two], 1);
      expect(late.has).toEqual(before);
      expect([...one.has, ...two.has].some((partition) => before.includes(partition))).toBe(false);
    }
    scene.now += 1;
    await scene.beatAll([one, two], 1);
    expectSpread([one, two]);
    expect(one.changes.at(-1)).toMatchObject({ kind: 'taken', previous: [late.slot.index] });
    await expect(late.slot.lease.ensureHeld()).rejects.toMatchObject({ code: 'lease_lost' });
    await late.slot.lease.release();
    await scene.beatAll([one, two], 1);
    expectSpread([one, two]);
  });

  it('stays with one that was late, as long as nobody has watched it for its whole lease', async () => {
    const one = await scene.join();
    await one.beat();
    scene.now += 60_000;
    // Seen for the first time: how long it has stood still before, nobody knows.
    const two = await scene.join();
    await two.beat();
    scene.now += LEASE_MS - 1;
    await two.beat();
    await one.beat();
    await scene.beatAll([two, one]);
    expect(one.isLost).toBe(false);
    expectSpread([one, two]);
  });

  it('is not taken from a slot that was taken anew after it was read', async () => {
    const [one, two] = [await scene.join(), await scene.join()];
    await scene.beatAll([one, two]);
    await one.slot.lease.release();
    const stale = await scene.docs.control(slotKey(tallySet(scene.version), one.slot.index));
    const again = await scene.join();
    expect(again.slot.index).toBe(one.slot.index);
    await scene.beatAll([two, again]);
    // Two reads the slot as it was before, and the partitions as they are.
    const dated: DocumentStore = Object.create(scene.docs, { controls: { value: datedControls(scene.docs, stale) } }) as DocumentStore;
    const settings = settingsOf({
      events: new MemoryEventStore(),
      docs: dated,
      set: tallySet(scene.version),
      partitions: PARTITIONS,
      leaseMs: LEASE_MS,
      clock: scene.clock,
    });
    const sight = new Ownership(settings, new Slots(settings), two.slot, () => undefined);
    await sight.look();
    expect([...sight.kept().keys()].filter((partition) => again.has.includes(partition))).toEqual([]);
    expectSpread([two, again]);
  });

  it('is found again after a write whose answer was lost, and given back where it is too much', async () => {
    const deaf = new DeafStore(scene.docs);
    const one = await scene.join(deaf.store);
    deaf.isDeaf = true;
    await expect(one.beat()).rejects.toThrow('no answer');
    deaf.isDeaf = false;
    await scene.beatAll([one], 1);
    expectSpread([one]);
    const two = await scene.join();
    await two.beat();
    await one.ownership.look();
    deaf.isDeaf = true;
    await expect(one.ownership.giveBack(() => false)).rejects.toThrow('no answer');
    deaf.isDeaf = false;
    await scene.beatAll([two, one]);
    expectSpread([one, two]);
    // One that a lost answer has left in its name, though it had enough.
    const [partition] = two.has;
    const found = await scene.docs.control(partitionKey(tallySet(scene.version), partition ?? 0));
    const value = { slot: one.slot.index, slotEpoch: one.slot.lease.epoch, epoch: Number(found?.value.epoch) + 1 };
    await two.slot.lease.release();
    await scene.docs.compareAndSet(partitionKey(tallySet(scene.version), partition ?? 0), found?.revision ?? null, value);
    const three = await scene.join();
    await scene.beatAll([three, one]);
    expectSpread([one, three]);
  });
});

/** `controls` of a store in which one document is read as it was. */
function datedControls(docs: DocumentStore, stale: ControlDocument | null) {
  return async (keys: readonly string[]): Promise<ReadonlyMap<string, ControlDocument>> => {
    const found = new Map(await docs.controls(keys));
    if (stale !== null && keys.includes(stale.key)) found.set(stale.key, stale);
    return found;
  };
}

/** A store that writes partitions and then gives no answer, for as long as it is told to. */
class DeafStore {
  isDeaf = false;
  readonly store: DocumentStore;

  constructor(docs: DocumentStore) {
    this.store = Object.create(docs, {
      compareAndSet: {
        value: async (...[key, expected, value]: Parameters<DocumentStore['compareAndSet']>) => {
          const done = await docs.compareAndSet(key, expected, value);
          if (this.isDeaf && key.startsWith('partition/')) throw new Error('no answer');
          return done;
        },
      },
    }) as DocumentStore;
  }
}
