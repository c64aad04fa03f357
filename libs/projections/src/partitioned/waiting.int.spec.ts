import type { DocumentStore } from '@counterfoil/read-models';
import { MemoryEventStore, projectionFixture, TallyFeed, tallySet, type ProjectionFixture } from '@counterfoil/testing';
import { Checkpoint } from '../checkpoint.js';
import { readPointer, switchPointer } from '../generations.js';
import { openReadModels } from '../index.js';
import { parkedKey, partitionOf, streamDigest } from '../names.js';
import { ParkedStreams } from '../parked.js';
import { settingsOf } from '../settings.js';
import { takeCheckpoints } from './take-checkpoints.js';

const PARTITIONS = 4;
const set = tallySet();

describe('waiting for partitions', () => {
  let fixture: ProjectionFixture;
  let docs: DocumentStore;
  let now: number;
  const events = new MemoryEventStore({ epoch: 'e1' });

  beforeAll(async () => {
    await new TallyFeed(events).fill(100, 2);
  });
  beforeEach(async () => {
    fixture = await projectionFixture();
    docs = await fixture.docs();
    now = 0;
  });
  afterEach(() => fixture.dispose());

  const opened = (pollMs = 2) => openReadModels(docs, set, { partitions: PARTITIONS, clock: () => now, pollMs });
  /** All partitions of a generation, in the hands of one owner. */
  const checkpoints = async (generation: number): Promise<readonly Checkpoint[]> => {
    const settings = settingsOf({ events, docs, set, partitions: PARTITIONS });
    const taken = await takeCheckpoints(settings, generation, new Map(Array.from({ length: PARTITIONS }, (_, n) => [n, 1])));
    return Array.from({ length: PARTITIONS }, (_, n) => taken.get(n)!);
  };
  /** A stream of a partition. */
  const streamOf = (partition: number): string => {
    for (let n = 0; ; n++) if (partitionOf(`s${n}`, PARTITIONS) === partition) return `s${n}`;
  };
  const poisonAt = (stream: string, position: bigint) => ({ stream, position, type: 'Odd', reason: 'odd', projection: null, detail: null });
  const switchTo = async (generation: number) => switchPointer(docs, set, await readPointer(docs, set), generation, 0);

  it('of a set that nobody has projected yet says that there is nothing', async () => {
    expect(await opened().position()).toBe(0n);
    await expect(opened().waitFor(1n, 0)).rejects.toMatchObject({ code: 'projection_lagging', wanted: 1n, reached: 0n });
  });

  it('ends when those that are asked for are there: of one stream, of several, of all', async () => {
    const readModels = opened();
    const owners = await checkpoints(1);
    const one = readModels.waitFor(7n, 1000, undefined, [streamOf(2)]);
    const two = readModels.waitFor(7n, 1000, undefined, [streamOf(2), streamOf(3)]);
    const all = readModels.waitFor(7n, 1000);
    await owners[2]!.advance(7n, null);
    await one;
    await expect(readModels.waitFor(7n, 0, undefined, [streamOf(2), streamOf(3)])).rejects.toMatchObject({ reached: 0n });
    await owners[3]!.advance(8n, null);
    await two;
    await expect(readModels.waitFor(7n, 0)).rejects.toMatchObject({ reached: 0n });
    await owners[0]!.advance(9n, null);
    await owners[1]!.advance(7n, null);
    await all;
    expect(await readModels.position()).toBe(7n);
    expect(await readModels.position([streamOf(0)])).toBe(9n);
    expect(await readModels.position([streamOf(0), streamOf(3)])).toBe(8n);
  });

  it('of a parked stream ends at once and says so; what came before its poison, and every other stream, is read as ever', async () => {
    const readModels = opened();
    const owners = await checkpoints(1);
    const [parkedStream, neighbour] = [streamOf(2), streamOf(3)];
    await (await ParkedStreams.load(docs, set, 1, 10)).park(poisonAt(parkedStream, 5n));
    const waiting = readModels.waitFor(7n, 1000, undefined, [neighbour, parkedStream]);
    for (const owner of owners) await owner.advance(8n, null);
    await expect(waiting).rejects.toMatchObject({ code: 'stream_parked', stream: parkedStream, position: 5n });
    await readModels.waitFor(4n, 0, undefined, [parkedStream]);
    await readModels.waitFor(7n, 0, undefined, [neighbour]);
    // Who reads everything is held up by nobody.
    await readModels.waitFor(7n, 0);
  });

  it('is not ended by what a process that was killed had begun to park: nobody has passed it yet', async () => {
    const readModels = opened();
    for (const owner of await checkpoints(1)) await owner.advance(8n, null);
    const begun = { stream: streamOf(2), position: '5', type: 'Odd', reason: 'odd', next: null };
    await docs.compareAndSet(parkedKey(set, 1, streamDigest(streamOf(2))), null, begun);
    await readModels.waitFor(7n, 0, undefined, [streamOf(2)]);
    expect(await readModels.parked()).toEqual([]);
    await (await ParkedStreams.load(docs, set, 1, 10)).park(poisonAt(streamOf(2), 5n));
    await expect(readModels.waitFor(7n, 0, undefined, [streamOf(2)])).rejects.toMatchObject({ code: 'stream_parked' });
    expect(await readModels.parked()).toMatchObject([{ stream: streamOf(2), position: 5n }]);
  });

  it('begins at what a rebuild has reached, until a partition is further', async () => {
    const rebuilt = await Checkpoint.take(docs, events, set, 1, { by: 'rebuild', epoch: 1 });
    await rebuilt.advance(5n, null);
    const readModels = opened();
    expect(await readModels.position()).toBe(5n);
    const owners = await checkpoints(1);
    await owners[1]!.advance(6n, null);
    expect(await readModels.position([streamOf(1)])).toBe(6n);
    expect(await readModels.position()).toBe(5n);
  });

  it('wakes at once when an engine of this process tells of the partition, and of no other', async () => {
    const readModels = opened(1_000_000);
    await readModels.generation();
    let isThere = false;
    const waiting = readModels.waitFor(6n, 1_000_000, undefined, [streamOf(1)]).then(() => (isThere = true));
    await new Promise((resolve) => setTimeout(resolve, 5));
    readModels.told(1, { position: 6n, epoch: 'e1' }, [0, 2, 3]);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(isThere).toBe(false);
    readModels.told(1, { position: 6n, epoch: 'e1' }, [1]);
    await waiting;
    await readModels.waitFor(6n, 0);
  });

  it('stays with the old generation until each partition of the new one has what was promised', async () => {
    const readModels = opened();
    const before = await checkpoints(1);
    for (const owner of before) await owner.advance(9n, null);
    expect(await readModels.position()).toBe(9n);
    const rebuilt = await Checkpoint.take(docs, events, set, 2, { by: 'rebuild', epoch: 1 });
    await rebuilt.advance(8n, null);
    await switchTo(2);
    readModels.refresh();
    expect(await readModels.generation()).toBe(1);
    const owners = await checkpoints(2);
    for (const owner of owners.slice(1)) await owner.advance(12n, null);
    now += 50;
    expect(await readModels.generation()).toBe(1);
    await owners[0]!.advance(9n, null);
    now += 50;
    expect(await readModels.generation()).toBe(2);
    expect(await readModels.position()).toBe(9n);
  });
});
