import { createRequire } from 'node:module';
import {
  collect,
  describeWithSwitches,
  eachServer,
  PLAIN_SETUP,
  QUICK,
  rejectionOf,
  startTestEventStoreDb,
  textEvent,
  textEvents,
  textOf,
} from '@counterfoil/testing';
import { StoreUnavailableError, WrongExpectedRevisionError } from '../errors.js';
import { AppendSettler } from './append-settler.js';
import { Calls } from './calls.js';
import { leaseClient } from './client-pool.js';
import { openEventStoreDb } from './open.js';

const STREAM = 'session-default/client';

describeWithSwitches('stack.md, @eventstore/db-client row 1: a connection that breaks takes the appends of other connections along', () => {
  const { server, start, open } = eachServer();

  it('does not: those of another server are answered, and the process goes on', async () => {
    const broken = await open();
    const sound = await openEventStoreDb({ ...PLAIN_SETUP_OF(await start()), timing: QUICK });
    server().faults.decide = () => 'drop_before';
    const lost = Array.from({ length: 20 }, (_, n) =>
      broken.append({ stream: `lost-${n}`, expected: 'no_stream', events: [textEvent('x')] }),
    );
    const answered = await Promise.all(
      Array.from({ length: 40 }, (_, n) => sound.append({ stream: `sound-${n}`, expected: 'no_stream', events: [textEvent(`${n}`)] })),
    );
    expect(answered.every(({ revision, repeated }) => revision === 0n && !repeated)).toBe(true);
    server().faults.decide = null;
    expect((await Promise.all(lost)).map(({ revision }) => revision)).toEqual(lost.map(() => 0n));
    await sound.close();
  });

  it('does not, with many big appends in flight while it breaks again and again', async () => {
    const store = await open({ timing: { ...QUICK, appendMs: 5000, settleMs: 30_000 } });
    const big = (): string => 'x'.repeat(200 * 1024);
    const appends = Array.from({ length: 24 }, (_, n) =>
      store.append({ stream: `big-${n}`, expected: 'no_stream', events: [textEvent(big())] }),
    );
    for (let n = 0; n < 5; n++) {
      await new Promise((resolve) => setTimeout(resolve, 40));
      server().dropAll();
    }
    expect((await Promise.all(appends)).map(({ revision }) => revision)).toEqual(appends.map(() => 0n));
    expect(await collect(store.readStored(null))).toHaveLength(24);
  });

  it('shares one client between stores of one connection string, and ends it with the last of them', async () => {
    const first = await open();
    const second = await open();
    await first.close();
    await second.append({ stream: STREAM, expected: 'no_stream', events: textEvents('e', 1) });
    expect(server().connections).toBe(1);
  });
});

describeWithSwitches('stack.md, @eventstore/db-client row 2: the revision of a conflict is wrong', () => {
  const { open } = eachServer();

  it('is right', async () => {
    const store = await open();
    await store.append({ stream: STREAM, expected: 'no_stream', events: textEvents('e', 7) });
    const refusal = await rejectionOf(store.append({ stream: STREAM, expected: 2n, events: textEvents('f', 1) }));
    expect(refusal).toBeInstanceOf(WrongExpectedRevisionError);
    expect(refusal).toMatchObject({ actual: 6n });
  });
});

describeWithSwitches('stack.md, @eventstore/db-client row 3: with the server down there is a raw gRPC error', () => {
  const { server, open } = eachServer();

  it('is said in words of the port, when it is opened and when it is read', async () => {
    const store = await open({ timing: { ...QUICK, readRetryMs: 100 } });
    const { connectionString } = server();
    await server().stop();
    for (const call of [store.head(), store.streamHead(STREAM), collect(store.readAll(null)), collect(store.readStream(STREAM))]) {
      expect(await rejectionOf(call)).toBeInstanceOf(StoreUnavailableError);
    }
    const opening = openEventStoreDb({ connectionString, registry: PLAIN_SETUP.registry, timing: { ...QUICK, readRetryMs: 100 } });
    expect(await rejectionOf(opening)).toBeInstanceOf(StoreUnavailableError);
  });

  it('goes on by itself when the server is back', async () => {
    const store = await open();
    await store.append({ stream: STREAM, expected: 'no_stream', events: textEvents('before', 1) });
    await server().stop();
    const reading = collect(store.readStream(STREAM));
    await server().listen();
    expect((await reading).map(textOf)).toEqual(['before 0']);
    expect(await store.append({ stream: STREAM, expected: 0n, events: textEvents('after', 1) })).toMatchObject({ revision: 1n });
  });
});

describeWithSwitches('stack.md, @eventstore/db-client row 4: a batched append has no deadline', () => {
  const { server, open } = eachServer();

  it('is a call of its own with one, and so is every read', async () => {
    const store = await open();
    server().faults.nextReads('stall');
    expect(await store.head()).toBe(0n);
    // The call that was given up is ended, not left to the server.
    while (server().openReads.size > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await store.append({ stream: STREAM, expected: 'no_stream', events: textEvents('e', 1) });
    expect(server().seenAppends.every(({ rpc, hasDeadline }) => rpc === 'Append' && hasDeadline)).toBe(true);
  });

  it('has one of our own where it must be batched: one after the other, each settled by itself', async () => {
    const { connectionString } = server();
    const lease = leaseClient(connectionString);
    const closing = new AbortController();
    // As with a certificate for a user and no password: no credentials that could be named in a call.
    const calls = new Calls(lease, null, { appendMs: 300, readMs: 300 }, 'counterfoil.', closing.signal);
    const settler = new AppendSettler({
      calls,
      prefix: 'counterfoil.',
      timing: QUICK,
      isStored: () => Promise.resolve(false),
      onPassing: () => undefined,
      stopping: new AbortController().signal,
    });
    server().faults.nextAppends('drop_after', 'lose_answer', 'drop_before', 'cancelled');
    const events = (n: number) => [
      { id: textEvent('').id, contentType: 'application/json' as const, type: 'T', data: { n }, metadata: {} },
    ];
    const settled = await Promise.all(
      Array.from({ length: 12 }, (_, n) => settler.settle({ stream: `batched-${n}`, expected: 'no_stream', events: events(n) })),
    );
    expect(settled.every(({ revision }) => revision === 0n)).toBe(true);
    expect(server().seenAppends.every(({ rpc }) => rpc === 'BatchAppend')).toBe(true);
    for (let n = 0; n < 12; n++) expect(server().log.stream(`counterfoil.batched-${n}`)).toHaveLength(1);
    closing.abort();
    await lease.release();
  });
});

describe('stack.md, @eventstore/db-client row 5: google-protobuf must be the client’s own', () => {
  it('is one package, of 3.21, for the client and for the test server', () => {
    const mine = createRequire(import.meta.url);
    const its = createRequire(mine.resolve('@eventstore/db-client'));
    expect(its.resolve('google-protobuf')).toBe(mine.resolve('google-protobuf'));
    expect((mine('google-protobuf/package.json') as { version: string }).version).toMatch(/^3\.21\./);
  });
});

describeWithSwitches('stack.md, @eventstore/db-client row 6: TLS is on unless it is switched off', () => {
  const { server } = eachServer();

  it('is refused by a plain server within the time that is given, not waited for', async () => {
    const connectionString = `kurrentdb://127.0.0.1:${server().address.port}`;
    const opening = openEventStoreDb({
      connectionString,
      registry: PLAIN_SETUP.registry,
      timing: { ...QUICK, readMs: 200, readRetryMs: 300 },
    });
    expect(await rejectionOf(opening)).toBeInstanceOf(StoreUnavailableError);
  });

  it('takes a kurrentdb:// string as it takes an esdb:// one', async () => {
    const connectionString = `kurrentdb://127.0.0.1:${server().address.port}?tls=false`;
    const store = await openEventStoreDb({ connectionString, registry: PLAIN_SETUP.registry, timing: QUICK });
    expect(await store.head()).toBe(0n);
    await store.close();
  });
});

describeWithSwitches('stack.md, @eventstore/db-client row 8: what the client calls', () => {
  const { server, open } = eachServer();

  it('asks no capabilities, and appends by calls of their own', async () => {
    const store = await open();
    await store.append({ stream: STREAM, expected: 'no_stream', events: textEvents('e', 2) });
    await collect(store.readAll(null));
    expect(server().featureRequests).toBe(0);
    expect(new Set(server().seenAppends.map(({ rpc }) => rpc))).toEqual(new Set(['Append']));
  });

  it('finds the leader of several hosts by their gossip', async () => {
    const follower = await startTestEventStoreDb({ log: server().log });
    follower.follow(server());
    const hosts = [follower, server()].map(({ address }) => `${address.host}:${address.port}`).join(',');
    const store = await openEventStoreDb({ connectionString: `esdb://${hosts}?tls=false`, registry: PLAIN_SETUP.registry, timing: QUICK });
    await store.append({ stream: STREAM, expected: 'no_stream', events: textEvents('e', 1) });
    expect(follower.seenAppends).toEqual([]);
    expect(server().seenAppends.length).toBeGreaterThan(0);
    await store.close();
    await follower.stop();
  });
});

const PLAIN_SETUP_OF = ({ connectionString }: { readonly connectionString: string }) => ({
  connectionString,
  registry: PLAIN_SETUP.registry,
});
