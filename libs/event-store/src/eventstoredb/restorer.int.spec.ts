import { collect, describeWithSwitches, eachServer, rejectionOf, sealedIn, textEvents } from '@counterfoil/testing';
import { StreamIntegrityError } from '../errors.js';
import type { EventStoreDbStore } from './store.js';

const STREAM = 'session-default/moved';
const hashes = async (store: EventStoreDbStore): Promise<string[]> =>
  (await collect(store.readStored(null))).map(({ metadata }) => metadata.integrity.hash);

describeWithSwitches('events that are restored into EventStoreDB', () => {
  const { server, open } = eachServer();

  it.each(['lose_answer', 'drop_before', 'drop_after', 'no_position', 'cancelled', 'unavailable', 'answer_twice', 'not_ready'] as const)(
    'are there once after %s',
    async (fault) => {
      const store = await open();
      const events = sealedIn(STREAM, textEvents('moved', 6));
      server().faults.nextAppends(fault);
      await store.restore(STREAM, events.slice(0, 3));
      server().faults.nextAppends(fault);
      await store.restore(STREAM, events.slice(3));
      expect(await store.restore(STREAM, events)).toEqual({ added: 0 });
      expect(await hashes(store)).toEqual(events.map(({ metadata }) => metadata.integrity.hash));
    },
  );

  it('cost a call each where they follow what this process has restored', async () => {
    const store = await open({ timing: { sealCheckMs: 60_000 } });
    const events = sealedIn(STREAM, textEvents('moved', 40));
    await store.restore(STREAM, events.slice(0, 4));
    const [reads, appends] = [server().seenReads.length, server().seenAppends.length];
    for (let n = 4; n < 40; n += 4) await store.restore(STREAM, events.slice(n, n + 4));
    expect([server().seenReads.length - reads, server().seenAppends.length - appends]).toEqual([0, 9]);
  });

  it('raise an alarm where a deleted stream would go on with old revisions', async () => {
    const store = await open();
    const events = sealedIn(STREAM, textEvents('moved', 3));
    server().faults.nextAppends('odd_revision');
    expect(await rejectionOf(store.restore(STREAM, events))).toBeInstanceOf(StreamIntegrityError);
  });

  it('are compared by more than their ids, also where the server knows the ids', async () => {
    const store = await open();
    const texts = textEvents('moved', 3);
    await store.restore(STREAM, sealedIn(STREAM, texts));
    const others = texts.map((event, n) => ({ ...event, data: textEvents('other', 3)[n]?.data }));
    const fresh = await open();
    expect(await rejectionOf(fresh.restore(STREAM, sealedIn(STREAM, others)))).toBeInstanceOf(StreamIntegrityError);
  });
});
