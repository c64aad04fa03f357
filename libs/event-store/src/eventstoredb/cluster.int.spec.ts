import { collect, describeWithSwitches, eachServer, PLAIN_SETUP, QUICK, rejectionOf, take, textEvents, textOf } from '@counterfoil/testing';
import { StoreUnavailableError } from '../errors.js';
import { openEventStoreDb } from './open.js';

const STREAM = 'session-default/cluster';

describeWithSwitches('stack.md, EventStoreDB row 7: a node that was just demoted answers with old news', () => {
  const { server, start, open } = eachServer();

  it('not to what decides: heads, streams, the basis of an append and checkpoints come from the leader', async () => {
    const store = await open();
    await store.append({ stream: STREAM, expected: 'no_stream', events: textEvents('old', 1) });
    const leader = await start({ log: server().log });
    const other = await openEventStoreDb({ connectionString: leader.connectionString, registry: PLAIN_SETUP.registry, timing: QUICK });
    server().freeze();
    server().follow(leader);
    const { position } = await other.append({ stream: STREAM, expected: 0n, events: textEvents('new', 1) });
    expect(await store.streamHead(STREAM)).toMatchObject({ revision: 1n, position });
    expect((await collect(store.readStream(STREAM))).map(textOf)).toEqual(['old 0', 'new 0']);
    expect(await store.head()).toBe(position);
    expect(await store.append({ stream: STREAM, expected: 1n, events: textEvents('next', 1) })).toMatchObject({ revision: 2n });
    // The event was seen elsewhere: that this node lacks it is no reason to call the store another one.
    const rest = await take(store, { after: position, batchSize: 8 }, (events) => events.length >= 1);
    expect(rest.map(textOf)).toEqual(['next 0']);
    await other.close();
  });

  it('asks for the leader exactly there, and not for what is only read on', async () => {
    const store = await open();
    await store.append({ stream: STREAM, expected: 'no_stream', events: textEvents('e', 2) });
    await collect(store.readAll(null));
    await collect(store.readStream(STREAM));
    const { seenReads, seenAppends } = server();
    expect(seenReads.filter(({ of }) => of === 'subscription').every(({ requiresLeader }) => !requiresLeader)).toBe(true);
    expect(seenReads.filter(({ of }) => of !== 'subscription').every(({ requiresLeader }) => requiresLeader)).toBe(true);
    expect(seenAppends.every(({ requiresLeader }) => requiresLeader)).toBe(true);
  });

  it('follows the leader to another node, in the middle of everything', async () => {
    const store = await open();
    const second = await start({ log: server().log });
    const taking = take(store, { after: null, batchSize: 4 }, (events) => events.length >= 12);
    for (let n = 0; n < 12; n++) {
      if (n === 4) server().follow(second);
      if (n === 8) {
        server().follow(null);
        second.follow(server());
      }
      await store.append({ stream: STREAM, expected: n === 0 ? 'no_stream' : BigInt(n - 1), events: textEvents(`${n}`, 1) });
    }
    expect((await taking).map(textOf)).toEqual(Array.from({ length: 12 }, (_, n) => `${n} 0`));
    expect(second.seenAppends.filter(({ stream }) => stream.endsWith(STREAM)).length).toBeGreaterThan(0);
  });

  it('is unavailable while no node takes itself for the leader: nothing was sent to where it could be stored', async () => {
    const store = await open({ timing: { ...QUICK, settleMs: 200 } });
    const second = await start({ log: server().log });
    server().follow(second);
    second.follow(server());
    const refusal = await rejectionOf(store.append({ stream: STREAM, expected: 'no_stream', events: textEvents('e', 1) }));
    expect(refusal).toBeInstanceOf(StoreUnavailableError);
    expect(server().log.stream(`counterfoil.${STREAM}`)).toBeNull();
    second.follow(null);
  });
});

describeWithSwitches('stack.md, EventStoreDB row 8: only admins may read $all', () => {
  const { server, open } = eachServer();

  it('is said when the store is opened, with the reason', async () => {
    await open();
    // The ledger's own stream can be read, everything can not.
    server().faults.nextReads('none', 'denied');
    const refusal = await rejectionOf(open());
    expect(refusal).toBeInstanceOf(StoreUnavailableError);
    expect(String(refusal)).toContain('may not read');
  });
});

describeWithSwitches('stack.md, EventStoreDB row 9: names and sizes', () => {
  const { server, open } = eachServer();

  it('takes names with a slash, of full length and of any letters', async () => {
    const store = await open();
    for (const stream of ['session-default/a:b.c_d-e', `history-w/${'k'.repeat(500)}`, 'session-ö/🧾', 'a/b/c']) {
      await store.append({ stream, expected: 'no_stream', events: textEvents('e', 1) });
      expect((await collect(store.readStream(stream))).map((event) => event.stream)).toEqual([stream]);
      expect(server().log.stream(`counterfoil.${stream}`)).toHaveLength(1);
    }
    expect((await collect(store.readStored(null))).map(({ stream }) => stream)).toContain('session-ö/🧾');
  });
});
