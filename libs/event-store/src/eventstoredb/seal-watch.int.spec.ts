import { describeWithSwitches, eachServer, newEvent, rejectionOf, textEvent } from '@counterfoil/testing';
import { LedgerSealedError } from '../errors.js';
import type { AppendRequest, EventStore } from '../port.js';

const seal = (): AppendRequest => ({
  stream: 'access',
  expected: 'no_stream',
  events: [newEvent({ type: 'LedgerSealed', data: { reason: 'moved', targetEpoch: 'e2' } })],
});

const append = (store: EventStore, stream: string, detail = 'text') =>
  store.append({ stream, expected: 'no_stream', events: [textEvent(detail)] });

describeWithSwitches('the end of a ledger in EventStoreDB', () => {
  const { server, open } = eachServer();
  const readsOfStreams = (): number => server().seenReads.filter(({ of }) => of === 'stream').length;

  it('is looked for once for all appends of a while, from the leader', async () => {
    const store = await open({ timing: { sealCheckMs: 60_000 } });
    const before = readsOfStreams();
    await Promise.all(Array.from({ length: 10 }, (_, n) => append(store, `s${String(n)}`)));
    for (let n = 10; n < 20; n++) await append(store, `s${String(n)}`);
    expect(readsOfStreams() - before).toBe(1);
    expect(server().seenReads.at(-1)).toMatchObject({ of: 'stream', requiresLeader: true, from: 'end', maxCount: 1n });
  });

  it('is looked for anew when the while is over', async () => {
    const [store, other] = [await open({ timing: { sealCheckMs: 0 } }), await open()];
    await append(store, 'before');
    await other.append(seal());
    expect(await rejectionOf(append(store, 'after'))).toBeInstanceOf(LedgerSealedError);
  });

  it('is looked for anew behind a connection that broke: the store may be another one', async () => {
    const [store, other] = [await open({ timing: { sealCheckMs: 60_000 } }), await open()];
    await append(store, 'before');
    await other.append(seal());
    await append(store, 'not looked for yet');
    server().faults.nextAppends('drop_before');
    await append(store, 'meanwhile');
    expect(await rejectionOf(append(store, 'after'))).toBeInstanceOf(LedgerSealedError);
  });

  it('does not make a lost answer a refusal: what was stored before is answered as stored', async () => {
    const [store, other] = [await open(), await open()];
    server().faults.decide = ({ stream }) => (stream.endsWith('lost') ? 'lose_answer' : null);
    const lost = append(store, 'lost');
    while (!server().seenAppends.some(({ stream, fault }) => stream.endsWith('lost') && fault === 'lose_answer')) {
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await other.append(seal());
    server().faults.reset();
    expect(await lost).toMatchObject({ revision: 0n });
    expect(await rejectionOf(append(store, 'after'))).toBeInstanceOf(LedgerSealedError);
  });

  it('takes nothing while it can not be looked for', async () => {
    const store = await open({ timing: { sealCheckMs: 0, readRetryMs: 50, readMs: 100 } });
    server().faults.nextReads(...Array.from({ length: 50 }, () => 'stall' as const));
    const refusal = await rejectionOf(append(store, 'unseen'));
    server().faults.reset();
    expect(refusal).toMatchObject({ code: 'store_unavailable' });
    expect(await store.streamHead('unseen')).toBeNull();
  });
});
