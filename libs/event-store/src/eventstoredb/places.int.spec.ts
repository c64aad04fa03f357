import { collect, describeWithSwitches, eachServer, rejectionOf, take, textEvents, textOf } from '@counterfoil/testing';
import type { Generation } from '@counterfoil/testing';
import { CheckpointAheadOfStoreError } from '../errors.js';
import type { EventStore } from '../port.js';
import { eachOtherProgram } from './testing/other-program.js';

const STREAM = 'session-default/placed';

describe.each<Generation>(['23.10', '24.10'])('stack.md, EventStoreDB row 6 (%s)', (generation) => {
  describeWithSwitches('a subscription from a position beyond the end waits in silence', () => {
    const { server, open } = eachServer({ generation });
    const others = eachOtherProgram(server);
    const subscribe = (store: EventStore, after: bigint) => collect(store.subscribeAll({ after, signal: new AbortController().signal }));

    it('is refused instead: the store is another one, or an older', async () => {
      const store = await open();
      const { position } = await store.append({ stream: STREAM, expected: 'no_stream', events: textEvents('e', 3) });
      for (const after of [position + 1n, position + 100_000n, 2n ** 62n]) {
        expect(await rejectionOf(subscribe(store, after))).toBeInstanceOf(CheckpointAheadOfStoreError);
      }
    });

    it('and so is one after an event that is gone, or is another program’s', async () => {
      const store = await open();
      const { position } = await store.append({ stream: STREAM, expected: 'no_stream', events: textEvents('e', 1) });
      server().restoreTo(position);
      await others().write(3);
      const foreign = server().log.lastPosition;
      expect(await rejectionOf(subscribe(store, position))).toBeInstanceOf(CheckpointAheadOfStoreError);
      expect(await rejectionOf(subscribe(store, foreign))).toBeInstanceOf(CheckpointAheadOfStoreError);
    });
  });

  describeWithSwitches('the first record after a position is skipped', () => {
    const { server, open } = eachServer({ generation, searchWindow: 1 });
    const others = eachOtherProgram(server);

    it('by nothing that reads after an event, wherever the connection breaks', async () => {
      const store = await open();
      const texts: string[] = [];
      for (let n = 0; n < 12; n++) {
        await others().write(9);
        await store.append({ stream: STREAM, expected: n === 0 ? 'no_stream' : BigInt(n - 1), events: textEvents(`e${n}`, 1) });
        texts.push(`e${n} 0`);
      }
      const got = await take(store, { after: null, batchSize: 1 }, (events) => {
        // After checkpoints that stand between our events.
        server().dropAll();
        return events.length >= 12;
      });
      expect(got.map(textOf)).toEqual(texts);
    });

    it('by no read from a place where no record begins', async () => {
      const store = await open();
      await store.append({ stream: STREAM, expected: 'no_stream', events: textEvents('e', 2) });
      const [first] = await collect(store.readStored(null));
      const before = (first?.position ?? 0n) - 1n;
      const asked = server().seenReads.length;
      expect((await collect(store.readStored(before, { limit: 1 }))).map(textOf)).toEqual(['e 0']);
      // Found where it is, not from the beginning on: a checkpoint is compared by such a read at every start.
      const reads = server().seenReads.slice(asked);
      expect(reads.map(({ of, from }) => `${of} ${from}`)).toEqual(['all end', `all ${String(before)}`, `all ${String(before + 1n)}`]);
      expect((await collect(store.readAll(before))).flatMap(({ events }) => events.map(textOf))).toEqual(['e 0', 'e 1']);
      expect((await collect(store.readStored(before - 3n))).map(textOf)).toEqual(['e 0', 'e 1']);
    });
  });
});

describeWithSwitches('stack.md, EventStoreDB row 4: the newest event of ours is not to be had', () => {
  const { server, open } = eachServer();
  const others = eachOtherProgram(server);

  it('is found from the end backwards, and what was looked at is not looked at again', async () => {
    const store = await open();
    const { position } = await store.append({ stream: STREAM, expected: 'no_stream', events: textEvents('e', 1) });
    await others().write(1500);
    const reader = await open();
    expect(await reader.head()).toBe(position);
    const before = server().seenReads.length;
    expect(await reader.head()).toBe(position);
    expect(server().seenReads.length - before).toBe(1);
    expect(server().seenReads.at(-1)?.maxCount).toBeLessThan(10n);
    const next = await store.append({ stream: STREAM, expected: 0n, events: textEvents('f', 1) });
    expect(await reader.head()).toBe(next.position);
  });

  it('is that of the store as it is, after it was cut', async () => {
    const store = await open();
    const kept = await store.append({ stream: STREAM, expected: 'no_stream', events: textEvents('kept', 1) });
    await store.append({ stream: STREAM, expected: 0n, events: textEvents('lost', 3) });
    server().restoreTo(kept.position + 1n);
    expect(await store.head()).toBe(kept.position);
    await others().write(50);
    expect(await store.head()).toBe(kept.position);
  });

  it('looks no further back than the ledger itself', async () => {
    await others().write(3000);
    await open();
    const before = server().seenReads.length;
    const store = await open();
    expect(await store.head()).toBe(0n);
    expect(
      server()
        .seenReads.slice(before)
        .filter(({ of }) => of === 'all').length,
    ).toBeLessThan(4);
  });
});
