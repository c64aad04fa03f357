import { expectReplayed, MemoryEventStore, POISON_SECONDS, tallySet } from '@counterfoil/testing';
import { Checkpoint } from '../checkpoint.js';
import { openGeneration } from '../generations.js';
import { partitionOf } from '../names.js';
import { readPositions } from '../positions.js';
import { all, PARTITIONS, shareScene, streamOf } from './testing/share-scene.js';

describe('a share of a generation', () => {
  const scene = shareScene();

  it('applies what is of its partitions, and nothing else', async () => {
    for (let partition = 0; partition < PARTITIONS; partition++) await scene.feed.append(streamOf(partition), 1, 2);
    const share = await scene.open();
    await share.take(
      new Map([
        [1, 1],
        [3, 1],
      ]),
    );
    const batch = await scene.nextBatch(share);
    const { touched } = await share.apply(batch!);
    expect([...(touched.get('streams') ?? [])].sort()).toEqual([streamOf(1), streamOf(3)].sort());
    const [streams] = await openGeneration(scene.docs, tallySet(scene.version), 1);
    const found: string[] = [];
    for await (const { id } of streams!.scan()) found.push(id);
    expect(found.sort()).toEqual([streamOf(1), streamOf(3)].sort());
  });

  it('begins at the smallest of its checkpoints, and applies to each what is after its own', async () => {
    for (let round = 0; round < 3; round++)
      for (let partition = 0; partition < PARTITIONS; partition++) await scene.feed.append(streamOf(partition), 1);
    const first = await scene.open();
    await first.take(new Map([[0, 1]]));
    await scene.catchUp(first);
    const second = await scene.open();
    await second.take(
      new Map([
        [0, 2],
        [1, 1],
      ]),
    );
    expect(second.position).toBe(0n);
    const { touched } = await second.apply((await scene.nextBatch(second, 6))!);
    expect([...(touched.get('streams') ?? [])]).toEqual([streamOf(1)]);
    expect(second.position).toBe(6n);
    await second.letGo([1]);
    expect(second.position).toBe(await scene.events.head());
  });

  it('moves the checkpoints of the partitions that had something at once, those of the others every 250 ms, and all when it lets go', async () => {
    const share = await scene.open();
    await share.take(all(1));
    await scene.feed.append(streamOf(2), 1);
    await share.apply((await scene.nextBatch(share))!);
    expect(await scene.positions()).toEqual([0n, 0n, 2n, 0n, 0n]);
    expect(share.isBehind).toBe(true);
    scene.now = 249;
    await scene.feed.append(streamOf(3), 1);
    await share.apply((await scene.nextBatch(share))!);
    expect(await scene.positions()).toEqual([0n, 0n, 2n, 4n, 0n]);
    scene.now = 250;
    await scene.feed.append(streamOf(3), 1);
    await share.apply((await scene.nextBatch(share))!);
    expect(await scene.positions()).toEqual([5n, 5n, 5n, 5n, 5n]);
    expect(share.isBehind).toBe(false);
    await scene.feed.append(streamOf(3), 1);
    await share.apply((await scene.nextBatch(share))!);
    await share.letGo([0, 1]);
    expect(await scene.positions()).toEqual([6n, 6n, 5n, 6n, 5n]);
    await share.flush();
    expect(await scene.positions()).toEqual([6n, 6n, 6n, 6n, 6n]);
  });

  it('begins where a rebuild has brought its generation, and then has checkpoints of its own', async () => {
    await scene.feed.append('a', 1, 2, 3);
    const rebuilt = await Checkpoint.take(scene.docs, scene.events, tallySet(scene.version), 1, { by: 'rebuild', epoch: 9 });
    await rebuilt.advance(3n, null);
    expect(await scene.positions()).toEqual([3n, 3n, 3n, 3n, 3n]);
    const share = await scene.open();
    await share.take(all(1));
    expect(share.position).toBe(3n);
    await scene.catchUp(share);
    expect(await scene.positions()).toContain(4n);
  });

  it('knows what the owner before has parked before it applies what comes after', async () => {
    await scene.feed.append('bad', 1);
    const poisonedAt = await scene.feed.append('bad', POISON_SECONDS);
    const [first, second] = [await scene.open(), await scene.open()];
    const partition = partitionOf('bad', PARTITIONS);
    await first.take(new Map([[partition, 1]]));
    await scene.catchUp(first);
    await scene.feed.append('bad', 2, 3);
    await second.take(new Map([[partition, 2]]));
    await scene.catchUp(second);
    await expectReplayed(scene.docs, tallySet(scene.version), 1, scene.events, { bad: poisonedAt });
  });

  it('is refused over another number of partitions, and over another history', async () => {
    await scene.feed.append('a', 1);
    const share = await scene.open();
    await share.take(all(1));
    await scene.catchUp(share);
    const other = await scene.open(scene.docs, PARTITIONS + 1);
    await expect(other.take(new Map([[0, 2]]))).rejects.toMatchObject({ code: 'partition_count_mismatch', found: 5, given: 6 });
    await expect(readPositions(scene.docs, tallySet(scene.version), 1, 4)).rejects.toMatchObject({ code: 'partition_count_mismatch' });
    scene.events = new MemoryEventStore({ epoch: 'another' });
    await expect((await scene.open()).take(all(2))).rejects.toMatchObject({ code: 'checkpoint_ahead_of_store' });
    scene.events = new MemoryEventStore();
    await expect((await scene.open()).take(all(2))).rejects.toMatchObject({ code: 'checkpoint_ahead_of_store' });
  });

  it('is not taken by one that slept before it had it, and one that was replaced moves nothing', async () => {
    await scene.feed.append(streamOf(0), 1);
    const old = await scene.open();
    await old.take(all(1));
    const batch = await scene.nextBatch(old);
    const current = await scene.open();
    await current.take(all(2));
    await expect(old.apply(batch!)).rejects.toMatchObject({ code: 'lease_lost' });
    await old.letGo([1, 2]);
    expect(await scene.positions()).toEqual([0n, 0n, 0n, 0n, 0n]);
    await expect((await scene.open()).take(all(1))).rejects.toMatchObject({ code: 'lease_lost' });
    await scene.catchUp(current);
    await expectReplayed(scene.docs, tallySet(scene.version), 1, scene.events);
  });
});
