import type { DocumentStore } from '@counterfoil/read-models';
import { CrashingStore, projectionFixture, tallySet, type ProjectionFixture } from '@counterfoil/testing';
import type { Poison } from './errors.js';
import { parkedKey, streamDigest } from './names.js';
import { ParkedStreams } from './parked.js';

describe('parked streams', () => {
  let fixture: ProjectionFixture;
  let docs: DocumentStore;
  let version = 0;

  beforeEach(async () => {
    fixture = await projectionFixture();
    docs = await fixture.docs();
    version++;
  });
  afterEach(() => fixture.dispose());

  const load = (store = docs, most = 1000) => ParkedStreams.load(store, tallySet(version), 1, most);
  const poison = (stream: string, position: bigint): Poison => ({
    stream,
    position,
    type: 'LeaseExtended',
    reason: 'poisoned',
    projection: 'calls',
    detail: null,
  });
  const listed = async () => (await load()).list(1000).map(({ stream, position }) => `${stream}@${position}`);

  it('are parked from a position on, each under the digest of its name', async () => {
    const parked = await load();
    await parked.park(poison('a', 5n));
    expect(parked.isParked('a', 4n)).toBe(false);
    expect(parked.isParked('a', 5n)).toBe(true);
    expect(parked.isParked('b', 5n)).toBe(false);
    const found = await docs.control(parkedKey(tallySet(version), 1, streamDigest('a')));
    expect(found?.value).toEqual({ stream: 'a', position: '5', type: 'LeaseExtended', reason: 'poisoned', next: null });
  });

  it('are listed by whoever loads them, by position', async () => {
    const parked = await load();
    for (const [n, stream] of ['c', 'a', 'b'].entries()) await parked.park(poison(stream, BigInt(9 - n)));
    expect(await listed()).toEqual(['b@7', 'a@8', 'c@9']);
    expect((await load()).list(2)).toHaveLength(2);
  });

  it('are parked once, also by two at the same time', async () => {
    const [one, other] = [await load(), await load(await fixture.docs())];
    const streams = Array.from({ length: 20 }, (_, n) => `s${n}`);
    await Promise.all([one, other].flatMap((parked) => streams.map((stream, n) => parked.park(poison(stream, BigInt(n))))));
    expect(await listed()).toEqual(streams.map((stream, n) => `${stream}@${n}`));
    expect([one.count, other.count]).toEqual([20, 20]);
  });

  it('are complete when parking is cut short at any call and done again', async () => {
    for (const kind of ['die_before', 'die_after'] as const) {
      for (let atCall = 1; ; atCall++) {
        version++;
        await (await load()).park(poison('before', 1n));
        const store = new CrashingStore(docs, { atCall, kind });
        await load(store)
          .then((parked) => parked.park(poison('a', 5n)))
          .catch(() => undefined);
        await (await load()).park(poison('b', 6n));
        await (await load()).park(poison('a', 5n));
        expect(await listed()).toEqual(['before@1', 'a@5', 'b@6']);
        if (store.calls < atCall) break;
      }
    }
  });

  it('are refused beyond their number', async () => {
    const parked = await load(docs, 2);
    await parked.park(poison('a', 1n));
    await parked.park(poison('b', 2n));
    await parked.park(poison('a', 1n));
    await expect(parked.park(poison('c', 3n))).rejects.toMatchObject({ code: 'too_many_parked_streams', count: 2 });
  });
});
