import { tallySet } from '@counterfoil/testing';
import fc from 'fast-check';
import { slotKey } from '../names.js';
import { expectSpread, LEASE_MS, Member, ownershipScene } from './testing/ownership-scene.js';

describe('owning partitions', () => {
  const scene = ownershipScene();

  it('is spread evenly over one, two, three and five processes, and back again, each partition with one owner', async () => {
    const members: Member[] = [];
    for (const [count, sizes] of [
      [1, [64]],
      [2, [32, 32]],
      [3, [20, 22, 22]],
      [5, [12, 13, 13, 13, 13]],
    ] as const) {
      while (members.length < count) members.push(await scene.join(await scene.anotherStore()));
      await scene.beatAll(members);
      expectSpread(members);
      expect(members.map(({ has }) => has.length).sort((a, b) => a - b)).toEqual(sizes);
    }
    while (members.length > 1) {
      await members.shift()?.slot.lease.release();
      await scene.beatAll(members);
      expectSpread(members);
    }
  });

  it('of those who come at the same time is settled within two beats', async () => {
    const members = await Promise.all([0, 1, 2, 3].map(async () => scene.join(await scene.anotherStore())));
    expect(new Set(members.map(({ slot }) => slot.index)).size).toBe(4);
    for (let round = 0; round < 3; round++) await Promise.all(members.map((member) => member.beat()));
    expectSpread(members);
  });

  it('gives back only what is not worked on any more', async () => {
    const one = await scene.join();
    await one.beat();
    const all = one.has;
    const two = await scene.join();
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
    const one = await scene.join();
    let change = one.ownership.nextChange();
    await one.beat();
    expect(change.aborted).toBe(true);
    change = one.ownership.nextChange();
    await scene.beatAll([one], 3);
    expect(change.aborted).toBe(false);
    await scene.join();
    await one.ownership.look();
    expect(change.aborted).toBe(true);
    expect(one.ownership.kept().size).toBe(32);
    expect(one.changes.map(({ kind, owned }) => `${kind} ${owned}`)).toEqual(['taken 64']);
  });

  it('waits for a slot when all are held, and gets the one of who stands still', async () => {
    const few = (): Promise<Member> => Member.join(scene.docs, scene.clock, scene.version, 2);
    const [one, two] = [await few(), await few()];
    let third: Member | null = null;
    const joining = few().then((member) => (third = member));
    for (let look = 0; look < 3; look++) {
      await new Promise((resolve) => setTimeout(resolve, 300));
      scene.now += 300;
      await scene.beatAll([one], 1);
      expect(third).toBeNull();
    }
    scene.now += LEASE_MS;
    await one.slot.lease.renew();
    expect((await joining).slot.index).toBe(two.slot.index);
  });

  it('never has two owners, whatever the order of coming, going, standing still and beating', async () => {
    const action = fc.constantFrom('join', 'beat', 'beat', 'beat', 'beat', 'halt', 'leave', 'time', 'time');
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(action, fc.nat()), { minLength: 5, maxLength: 40 }), async (actions) => {
        scene.version++;
        let awake = [await scene.join()];
        const halted: Member[] = [];
        for (const [kind, choice] of actions) {
          const chosen = awake[choice % Math.max(1, awake.length)];
          if (kind === 'join' && awake.length < 6) awake.push(await scene.join());
          else if (kind === 'time') scene.now += (choice % 5) * 150;
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
        if (awake.length === 0) awake.push(await scene.join());
        // The halted ones are seen once, and ended after their lease.
        for (const member of awake) await member.beat();
        awake = awake.filter((member) => !member.isLost);
        scene.now += LEASE_MS;
        for (const member of awake) await member.slot.lease.renew();
        if (awake.every((member) => member.isLost)) awake = [await scene.join()];
        await scene.beatAll(
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
      const found = await scene.docs.control(slotKey(tallySet(scene.version), member.slot.index));
      if (found?.value.epoch === member.slot.lease.epoch && found.value.owner !== '') claimed.push(...member.has);
    }
    expect(new Set(claimed).size).toBe(claimed.length);
  }
});
