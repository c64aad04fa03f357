import { randomUUID } from 'node:crypto';
import { collect, describeWithSwitches, eachServer, QUICK, rejectionOf, take, textEvent, textEvents, textOf } from '@counterfoil/testing';
import type { LogRecord } from '@counterfoil/testing';
import { CheckpointAheadOfStoreError, StoreUnavailableError } from '../errors.js';
import type { EventBatch, EventStore } from '../port.js';
import { eachOtherProgram } from './testing/other-program.js';

const STREAM = 'session-default/subscribed';
const until = (count: number) => (events: readonly unknown[]) => events.length >= count;

async function write(store: EventStore, name: string, count: number): Promise<string[]> {
  const texts = Array.from({ length: count }, (_, n) => `${name} ${n}`);
  for (const [n, text] of texts.entries()) {
    await store.append({ stream: name, expected: n === 0 ? 'no_stream' : BigInt(n - 1), events: [textEvent(text)] });
  }
  return texts;
}

/** Batches as they come, with a hand on when the next is asked for. */
function batchesOf(store: EventStore, after: bigint | null, batchSize = 16) {
  const abort = new AbortController();
  const batches = store.subscribeAll({ after, batchSize, signal: abort.signal })[Symbol.asyncIterator]();
  const next = async (): Promise<EventBatch> => {
    const result = await batches.next();
    if (result.done === true) throw new Error('the subscription ended');
    return result.value;
  };
  const end = async (): Promise<void> => {
    abort.abort();
    await batches.return?.();
  };
  return { next, end };
}

describeWithSwitches('stack.md, EventStoreDB row 3: a subscription goes silent', () => {
  const { server, open } = eachServer();
  const others = eachOtherProgram(server);

  it('and stands still: what it lacks is seen, and another one brings it', async () => {
    const faults: unknown[] = [];
    const store = await open({ onFault: (error) => faults.push(error) });
    await write(store, 'before', 3);
    const taking = take(store, { after: null, batchSize: 16 }, until(6));
    while (server().subscriptions.size === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    server().stallSubscriptions();
    await write(store, 'after', 3);
    expect((await taking).map(textOf)).toEqual(['before 0', 'before 1', 'before 2', 'after 0', 'after 1', 'after 2']);
    expect(faults.map(String)).toContainEqual(expect.stringContaining('stood still'));
  });

  it('and is sound, when nobody writes or only others do: it is left alone', async () => {
    const faults: unknown[] = [];
    const store = await open({ onFault: (error) => faults.push(error), timing: { ...QUICK, watchdogMs: 40 } });
    await write(store, 'ours', 2);
    const subscription = batchesOf(store, null);
    await subscription.next();
    const waiting = subscription.next();
    for (let n = 0; n < 6; n++) {
      await others().write(20);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect(faults).toEqual([]);
    expect(server().seenReads.filter(({ of }) => of === 'subscription')).toHaveLength(1);
    await store.append({ stream: 'ours', expected: 1n, events: textEvents('at last', 1) });
    expect((await waiting).events.map(textOf)).toEqual(['at last 0']);
    await subscription.end();
  });

  it('and never says that it has caught up: it is said when nothing of ours is left', async () => {
    server().faults.noCaughtUp = true;
    server().faults.noCheckpoints = true;
    const store = await open();
    const subscription = batchesOf(store, null);
    expect(await subscription.next()).toEqual({ events: [], unreadable: [], position: 0n, caughtUp: true });
    await subscription.end();
  });

  it('at its very begin, with no answer at all', async () => {
    const store = await open();
    const texts = await write(store, STREAM, 3);
    server().faults.nextReads('stall');
    expect((await take(store, { after: null, batchSize: 16 }, until(3))).map(textOf)).toEqual(texts);
  });
});

describeWithSwitches('stack.md, EventStoreDB row 3: a slow consumer', () => {
  const { open } = eachServer({ generation: '23.10', searchWindow: 1, liveBuffer: 4 });

  it('is never told a position beyond the events that it was handed', async () => {
    const store = await open();
    await write(store, STREAM, 60);
    const positions = (await collect(store.readStored(null))).map(({ position }) => position);
    const subscription = batchesOf(store, null, 7);
    const told: EventBatch[] = [];
    while (told.flatMap(({ events }) => events).length < 60) {
      told.push(await subscription.next());
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    await subscription.end();
    for (const batch of told) expect(batch.position).toBe(batch.events.at(-1)?.position);
    expect(told.flatMap(({ events }) => events.map(({ position }) => position))).toEqual(positions);
    expect(told.slice(0, -1).every(({ caughtUp }) => !caughtUp)).toBe(true);
  });

  it('is dropped by 23.10, and goes on where it was: none lost, none twice', async () => {
    const faults: unknown[] = [];
    const store = await open({ onFault: (error) => faults.push(error) });
    const subscription = batchesOf(store, null, 4);
    await subscription.next();
    // More than all buffers on the way take.
    const big = 'x'.repeat(60 * 1024);
    const count = 160;
    for (let n = 0; n < count; n++) await store.append({ stream: `big-${n}`, expected: 'no_stream', events: [textEvent(`${n} ${big}`)] });
    const got: string[] = [];
    while (got.length < count) got.push(...(await subscription.next()).events.map((event) => textOf(event).split(' ', 1)[0] ?? ''));
    expect(got).toEqual(Array.from({ length: count }, (_, n) => `${n}`));
    expect(faults.map(String)).toContainEqual(expect.stringContaining('too slow'));
    await subscription.end();
  });
});

describeWithSwitches('a subscription to EventStoreDB under faults', () => {
  const { server, open } = eachServer();

  it('loses and doubles nothing while its connection drops again and again', async () => {
    const store = await open();
    const taking = take(store, { after: null, batchSize: 5 }, until(80));
    const writing = Promise.all([write(store, 'one', 40), write(store, 'two', 40)]);
    for (let n = 0; n < 5; n++) {
      await new Promise((resolve) => setTimeout(resolve, 60));
      server().dropAll();
    }
    await writing;
    const stored = (await collect(store.readStored(null))).map(textOf);
    expect((await taking).map(textOf)).toEqual(stored);
    expect(stored).toHaveLength(80);
  });

  it('hands over once what the server sends twice', async () => {
    server().faults.repeatEvents = true;
    const store = await open();
    const texts = await write(store, STREAM, 20);
    expect((await take(store, { after: null, batchSize: 5 }, until(20))).map(textOf)).toEqual(texts);
    const batches = await collect(store.readAll(null, { batchSize: 3 }));
    expect(batches.flatMap(({ events }) => events.map(textOf))).toEqual(texts);
  });

  it('waits for a server that is down, and goes on', async () => {
    const store = await open();
    const texts = await write(store, STREAM, 4);
    const subscription = batchesOf(store, null, 2);
    const got = [...(await subscription.next()).events];
    await server().stop();
    const rest = (async () => {
      while (got.length < 5) got.push(...(await subscription.next()).events);
    })();
    await new Promise((resolve) => setTimeout(resolve, 200));
    await server().listen();
    await store.append({ stream: STREAM, expected: 3n, events: textEvents('later', 1) });
    await rest;
    expect(got.map(textOf)).toEqual([...texts, 'later 0']);
    await subscription.end();
  });

  it('ends with an error when its user may not read: never in silence', async () => {
    const store = await open();
    await write(store, STREAM, 1);
    server().faults.nextReads('denied');
    const refusal = await rejectionOf(collect(store.subscribeAll({ after: null, signal: new AbortController().signal })));
    expect(refusal).toBeInstanceOf(StoreUnavailableError);
    expect(String(refusal)).toContain('may not read');
  });

  it('ends at once when its reader leaves: the server has no subscription any more', async () => {
    const store = await open();
    await write(store, STREAM, 3);
    await take(store, { after: null, batchSize: 1 }, until(1));
    for await (const batch of store.readAll(null, { batchSize: 1 })) {
      if (batch.events.length > 0) break;
    }
    for await (const event of store.readStream(STREAM)) {
      if (event.revision === 0n) break;
    }
    while (server().openReads.size > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(server().openReads.size).toBe(0);
  });

  it('and every other read end their call where a page gets heavy or its last record is found', async () => {
    const store = await open();
    const big = 'x'.repeat(230 * 1024);
    for (let n = 0; n < 12; n++)
      await store.append({ stream: STREAM, expected: n === 0 ? 'no_stream' : BigInt(n - 1), events: [textEvent(big)] });
    expect(await collect(store.readStream(STREAM))).toHaveLength(12);
    expect(await (await open()).head()).toBe(await store.head());
    while (server().openReads.size > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(server().openReads.size).toBe(0);
  });
});

describeWithSwitches('a batch of a subscription to EventStoreDB', () => {
  const { server, open } = eachServer();

  it('is handed over when it is heavy, however long a part of one may wait', async () => {
    const store = await open({ timing: { ...QUICK, lingerMs: 3_600_000, watchdogMs: 3_600_000 } });
    const big = 'x'.repeat(230 * 1024);
    for (let n = 0; n < 12; n++) await store.append({ stream: `big-${n}`, expected: 'no_stream', events: [textEvent(big)] });
    const batches = await collect(store.readAll(null));
    expect(batches.flatMap(({ events }) => events)).toHaveLength(12);
    expect(batches.length).toBeGreaterThan(1);
    expect(await take(store, { after: null, batchSize: 256 }, until(12))).toHaveLength(12);
  });

  it('is handed over in part, when the rest does not come', async () => {
    server().faults.noCaughtUp = true;
    const store = await open({ timing: { ...QUICK, lingerMs: 20, watchdogMs: 3_600_000 } });
    const texts = await write(store, STREAM, 3);
    expect((await take(store, { after: null, batchSize: 256 }, until(3))).map(textOf)).toEqual(texts);
  });
});

describeWithSwitches('a store that was restored from an older backup while it was subscribed to', () => {
  const { server, open } = eachServer();

  /** Subscribes, loses the last two events behind its back, and says how the subscription ends. */
  async function afterRestore(replace: (lost: readonly LogRecord[]) => void): Promise<unknown> {
    const store = await open();
    await write(store, 'kept', 2);
    const kept = await store.head();
    await write(store, 'lost', 2);
    const subscription = batchesOf(store, null);
    while ((await subscription.next()).position < (await store.head())) continue;
    const waiting = rejectionOf(subscription.next());
    await server().stop();
    const { log } = server();
    const lost = log.stream('counterfoil.lost') ?? [];
    log.cutFrom(kept + 1n);
    replace(lost);
    await server().listen();
    return waiting;
  }

  it('and ends before what was handed over: the subscription ends and says so', async () => {
    const refusal = await afterRestore(() => undefined);
    expect(refusal).toBeInstanceOf(CheckpointAheadOfStoreError);
    expect(refusal).toMatchObject({ code: 'checkpoint_ahead_of_store' });
  });

  it('and holds other events there, at the very same positions: the subscription ends and says so', async () => {
    const refusal = await afterRestore((lost) => {
      for (const record of lost) server().log.write(record.stream, [{ ...record, id: randomUUID() }]);
    });
    expect(refusal).toBeInstanceOf(CheckpointAheadOfStoreError);
    expect(String(refusal)).toContain('another event');
  });

  it('and has just what it had: the subscription goes on', async () => {
    const store = await open();
    await write(store, 'kept', 2);
    const taking = take(store, { after: await store.head(), batchSize: 4 }, until(1));
    await server().stop();
    await server().listen();
    await store.append({ stream: 'kept', expected: 1n, events: textEvents('later', 1) });
    expect((await taking).map(textOf)).toEqual(['later 0']);
  });
});
