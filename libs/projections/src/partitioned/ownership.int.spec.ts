import type { ControlDocument, DocumentStore } from '@counterfoil/read-models';
import { MemoryEventStore, projectionFixture, tallySet, type ProjectionFixture } from '@counterfoil/testing';
import fc from 'fast-check';
import { partitionKey, slotKey } from '../names.js';
import { settingsOf } from '../settings.js';
import { Ownership, type OwnershipChange } from './ownership.js';
import { Slots, type Slot } from './slots.js';

const LEASE_MS = 1000;
const PARTITIONS = 64;
const forever = new AbortController().signal;

/** One process as far as ownership goes; its beats are the test's. */
class Member {
  private constructor(
    readonly slot: Slot,
    readonly ownership: Ownership,
    readonly changes: readonly OwnershipChange[],
  ) {}

  static async join(docs: DocumentStore, clock: () => number, version: number, partitions = PARTITIONS): Promise<Member> {
    const settings = settingsOf({ events: new MemoryEventStore(), docs, set: tallySet(version), partitions, leaseMs: LEASE_MS, clock });
    const slots = new Slots(settings);
    const slot = await slots.join(forever);
    if (slot === null) throw new Error('no slot');
    const changes: OwnershipChange[] = [];
    return new Member(slot, new Ownership(settings, slots, slot, (change) => changes.push(change)), changes);
  }

  get has(): readonly number[] {
    return [...this.ownership.kept().keys()].sort((a, b) => a - b);
  }

  get isLost(): boolean {
    return this.slot.lease.lost.aborted;
  }

  /** What a follower does at a beat; it lets go at once. */
  async beat(): Promise<void> {
    await this.slot.lease.renew();
    if (this.isLost) return;
    await this.ownership.look();
    await this.ownership.giveBack(() => false);
  }
}

describe('owning partitions', () => {
  let fixture: ProjectionFixture;
  let docs: DocumentStore;
  let now: number;
  let version = 0;

  beforeEach(async () => {
    fixture = await projectionFixture();
    docs = await fixture.docs();
    now = 5000;
    version++;
  });
  afterEach(() => fixture.dispose());

  const join = async (store: DocumentStore = docs) => Member.join(store, () => now, version);
  const beatAll = async (members: readonly Member[], rounds = 3): Promise<void> => {
    for (let round = 0; round < rounds; round++) for (const member of members) await member.beat();
  };
  const expectSpread = (members: readonly Member[]): void => {
    expect(members.flatMap(({ has }) => has).sort((a, b) => a - b)).toEqual(Array.from({ length: PARTITIONS }, (_, n) => n));
    const share = Math.ceil(PARTITIONS / members.length);
    for (const { has } of members) expect(has.length).toBeLessThanOrEqual(share);
  };

  it('is spread evenly over one, two, three and five processes, and back again, each partition with one owner', async () => {
    const members: Member[] = [];
    for (const [count, sizes] of [
      [1, [64]],
      [2, [32, 32]],
      [3, [20, 22, 22]],
      [5, [12, 13, 13, 13, 13]],
    ] as const) {
      while (members.length < count) members.push(await join(await fixture.docs()));
      await beatAll(members);
      expectSpread(members);
      expect(members.map(({ has }) => has.length).sort((a, b) => a - b)).toEqual(sizes);
    }
    while (members.length > 1) {
      await members.shift()?.slot.lease.release();
      await beatAll(members);
      expectSpread(members);
    }
  });

  it('of those who come at the same time is settled within two beats', async () => {
    const members = await Promise.all([0, 1, 2, 3].map(async () => join(await fixture.docs())));
    expect(new Set(members.map(({ slot }) => slot.index)).size).toBe(4);
    for (let round = 0; round < 3; round++) await Promise.all(members.map((member) => member.beat()));
    expectSpread(members);
  });

  it('goes to the others when a process has stood still for its lease, not before, and the late one is told so', async () => {
    const [one, two, late] = [await join(), await join(), await join()];
    await beatAll([one, two, late]);
    const before = late.has;
    expect(before.length).toBeGreaterThan(0);
    // They see its last beat.
    await beatAll([one, two], 1);
    for (const step of [400, 400, 199]) {
      now += step;
      await beatAll([one, two], 1);
      expect(late.has).toEqual(before);
      expect([...one.has, ...two.has].some((partition) => before.includes(partition))).toBe(false);
    }
    now += 1;
    await beatAll([one, two], 1);
    expectSpread([one, two]);
    expect(one.changes.at(-1)).toMatchObject({ kind: 'taken', previous: [late.slot.index] });
    await expect(late.slot.lease.ensureHeld()).rejects.toMatchObject({ code: 'lease_lost' });
    await late.slot.lease.release();
    await beatAll([one, two], 1);
    expectSpread([one, two]);
  });

  it('stays with one that was late, as long as nobody has watched it for its whole lease', async () => {
    const one = await join();
    await one.beat();
    now += 60_000;
    // Seen for the first time: how long it has stood still before, nobody knows.
    const two = await join();
    await two.beat();
    now += LEASE_MS - 1;
    await two.beat();
    await one.beat();
    await beatAll([two, one]);
    expect(one.isLost).toBe(false);
    expectSpread([one, two]);
  });

  it('is not taken from a slot that was taken anew after it was read', async () => {
    const [one, two] = [await join(), await join()];
    await beatAll([one, two]);
    await one.slot.lease.release();
    const stale = await docs.control(slotKey(tallySet(version), one.slot.index));
    const again = await join();
    expect(again.slot.index).toBe(one.slot.index);
    await beatAll([two, again]);
    // Two reads the slot as it was before, and the partitions as they are.
    const dated: DocumentStore = Object.create(docs, { controls: { value: datedControls(docs, stale) } }) as DocumentStore;
    const settings = settingsOf({
      events: new MemoryEventStore(),
      docs: dated,
      set: tallySet(version),
      partitions: PARTITIONS,
      leaseMs: LEASE_MS,
      clock: () => now,
    });
    const sight = new Ownership(settings, new Slots(settings), two.slot, () => undefined);
    await sight.look();
    expect([...sight.kept().keys()].filter((partition) => again.has.includes(partition))).toEqual([]);
    expectSpread([two, again]);
  });

  it('is found again after a write whose answer was lost, and given back where it is too much', async () => {
    const deaf = new DeafStore(docs);
    const one = await join(deaf.store);
    deaf.isDeaf = true;
    await expect(one.beat()).rejects.toThrow('no answer');
    deaf.isDeaf = false;
    await beatAll([one], 1);
    expectSpread([one]);
    const two = await join();
    await two.beat();
    await one.ownership.look();
    deaf.isDeaf = true;
    await expect(one.ownership.giveBack(() => false)).rejects.toThrow('no answer');
    deaf.isDeaf = false;
    await beatAll([two, one]);
    expectSpread([one, two]);
    // One that a lost answer has left in its name, though it had enough.
    const [partition] = two.has;
    const found = await docs.control(partitionKey(tallySet(version), partition ?? 0));
    const value = { slot: one.slot.index, slotEpoch: one.slot.lease.epoch, epoch: Number(found?.value.epoch) + 1 };
    await two.slot.lease.release();
    await docs.compareAndSet(partitionKey(tallySet(version), partition ?? 0), found?.revision ?? null, value);
    const three = await join();
    await beatAll([three, one]);
    expectSpread([one, three]);
  });

  it('gives back only what is not worked on any more', async () => {
    const one = await join();
    await one.beat();
    const all = one.has;
    const two = await join();
    await two.beat();
    await one.ownership.look();
    const working = new Set(all);
    await one.ownership.giveBack((partition) => working.has(partition));
    await two.beat();
    expect(two.has).toEqual([]);
    const [leaving] = all.filter((partition) => !one.ownership.kept().has(partition));
    working.delete(leaving ?? -1);
    await one.ownership.giveBack((partition) => working.has(partition));
    await two.beat();
    expect(two.has).toEqual([leaving]);
  });

  it('tells at each change, but not when nothing changes', async () => {
    const one = await join();
    let change = one.ownership.nextChange();
    await one.beat();
    expect(change.aborted).toBe(true);
    change = one.ownership.nextChange();
    await beatAll([one], 3);
    expect(change.aborted).toBe(false);
    await join();
    await one.ownership.look();
    expect(change.aborted).toBe(true);
    expect(one.ownership.kept().size).toBe(32);
    expect(one.changes.map(({ kind, owned }) => `${kind} ${owned}`)).toEqual(['taken 64']);
  });

  it('waits for a slot when all are held, and gets the one of who stands still', async () => {
    const few = (): Promise<Member> => Member.join(docs, () => now, version, 2);
    const [one, two] = [await few(), await few()];
    let third: Member | null = null;
    const joining = few().then((member) => (third = member));
    for (let look = 0; look < 3; look++) {
      await new Promise((resolve) => setTimeout(resolve, 300));
      now += 300;
      await beatAll([one], 1);
      expect(third).toBeNull();
    }
    now += LEASE_MS;
    await one.slot.lease.renew();
    expect((await joining).slot.index).toBe(two.slot.index);
  });

  it('never has two owners, whatever the order of coming, going, standing still and beating', async () => {
    const action = fc.constantFrom('join', 'beat', 'beat', 'beat', 'beat', 'halt', 'leave', 'time', 'time');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(action, fc.nat()), { minLength: 5, maxLength: 40 }), async (actions) => {
        version++;
        let awake = [await join()];
        const halted: Member[] = [];
        for (const [kind, choice] of actions) {
          const chosen = awake[choice % Math.max(1, awake.length)];
          if (kind === 'join' && awake.length < 6) awake.push(await join());
          else if (kind === 'time') now += (choice % 5) * 150;
          else if (chosen === undefined) continue;
          else if (kind === 'beat') await chosen.beat();
          else if (awake.length > 1 && (kind === 'halt' || kind === 'leave')) {
            awake = awake.filter((member) => member !== chosen);
            if (kind === 'halt') halted.push(chosen);
            else await chosen.slot.lease.release();
          }
          awake = awake.filter((member) => !member.isLost);
          await expectOneOwnerEach([...awake, ...halted]);
        }
        if (awake.length === 0) awake.push(await join());
        // The halted ones are seen once, and ended after their lease.
        for (const member of awake) await member.beat();
        awake = awake.filter((member) => !member.isLost);
        now += LEASE_MS;
        for (const member of awake) await member.slot.lease.renew();
        if (awake.every((member) => member.isLost)) awake = [await join()];
        await beatAll(
          awake.filter((member) => !member.isLost),
          4,
        );
        expectSpread(awake.filter((member) => !member.isLost));
      }),
      { numRuns: 25 },
    );
  }, 120_000);

  /** No partition is claimed by two whose slots are still theirs by the store. */
  async function expectOneOwnerEach(members: readonly Member[]): Promise<void> {
    const claimed: number[] = [];
    for (const member of members) {
      const found = await docs.control(slotKey(tallySet(version), member.slot.index));
      if (found?.value.epoch === member.slot.lease.epoch && found.value.owner !== '') claimed.push(...member.has);
    }
    expect(new Set(claimed).size).toBe(claimed.length);
  }
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
