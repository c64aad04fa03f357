import { collect, describeWithSwitches, eachServer, textEvents } from '@counterfoil/testing';

const STREAM = 'session-default/shared';

describeWithSwitches('a stream in EventStoreDB that several processes write by turns', () => {
  const { server, open } = eachServer();

  it('is not read twice for each append: what was read up to its end tells what to link to', async () => {
    const [one, other] = [await open(), await open()];
    await one.append({ stream: STREAM, expected: 'no_stream', events: textEvents('a', 1) });
    for (let revision = 0n; revision < 6n; revision++) {
      const store = revision % 2n === 0n ? other : one;
      expect(await collect(store.readStream(STREAM, { from: revision }))).toHaveLength(1);
      const reads = (): number => server().seenReads.filter(({ from }) => from === String(revision)).length;
      const before = reads();
      await store.append({ stream: STREAM, expected: revision, events: textEvents('b', 1) });
      expect(reads()).toBe(before);
    }
    expect(await collect(one.readStream(STREAM))).toHaveLength(7);
  });

  it('is read again when the connection broke meanwhile: the store may have been restored from a backup', async () => {
    const store = await open();
    await store.append({ stream: STREAM, expected: 'no_stream', events: textEvents('a', 2) });
    await collect(store.readStream(STREAM));
    server().faults.nextReads('drop');
    await store.head();
    const before = server().seenReads.length;
    await store.append({ stream: STREAM, expected: 1n, events: textEvents('b', 1) });
    expect(
      server()
        .seenReads.slice(before)
        .map(({ from }) => from),
    ).toContain('1');
  });
});
