import { uuidV5 } from '@counterfoil/canonical';
import type { NewEvent } from '@counterfoil/contracts';
import { collect, describeWithSwitches, eachServer, QUICK, rejectionOf, textEvent, textEvents, textOf } from '@counterfoil/testing';
import type { AppendFaultKind } from '@counterfoil/testing';
import {
  EventTooLargeError,
  OutcomeUnknownError,
  StoreUnavailableError,
  StreamIntegrityError,
  WrongExpectedRevisionError,
} from '../errors.js';
import type { AppendRequest, EventStore } from '../port.js';

const STREAM = 'session-default/outcomes';
const derived = (event: NewEvent): NewEvent => ({ ...event, id: uuidV5(event.id, 'derived') });
const textsOf = async (store: EventStore, stream = STREAM): Promise<string[]> => (await collect(store.readStream(stream))).map(textOf);

describeWithSwitches('an append to EventStoreDB whose answer does not come', () => {
  const { server, open } = eachServer();
  const request = (): AppendRequest => ({ stream: STREAM, expected: 'no_stream', events: textEvents('e', 2) });

  it.each<AppendFaultKind>(['drop_before', 'drop_after', 'lose_answer', 'not_ready', 'cancelled', 'unavailable', 'not_leader'])(
    'is sent again, the same to the byte, after %s, and is stored once',
    async (fault) => {
      const store = await open();
      server().faults.nextAppends(fault);
      const result = await store.append(request());
      expect(result).toMatchObject({ revision: 1n, repeated: false });
      expect(await textsOf(store)).toEqual(['e 0', 'e 1']);
      const tries = server().seenAppends.filter(({ stream }) => stream.endsWith(STREAM));
      expect(tries.map((one) => one.fault)).toEqual([fault, null]);
      const [first, second] = tries.map(({ ids, content, expected }) => ({ ids, content, expected }));
      expect(second).toEqual(first);
      expect(tries.every((one) => one.hasDeadline)).toBe(true);
    },
  );

  it('is sent again as often as it takes', async () => {
    const store = await open();
    server().faults.nextAppends('drop_before', 'drop_after', 'cancelled', 'drop_before', 'lose_answer', 'unavailable', 'not_ready');
    const result = await store.append(request());
    expect(result.events).toEqual(await collect(store.readStream(STREAM)));
    expect(result).toMatchObject({ revision: 1n, repeated: false });
  });

  it('may land later: what was sent again meanwhile is stored once', async () => {
    const store = await open();
    server().faults.nextAppends({ kind: 'late', ms: QUICK.appendMs * 2 }, { kind: 'late', ms: QUICK.appendMs * 2 + 100 });
    await store.append(request());
    await new Promise((resolve) => setTimeout(resolve, QUICK.appendMs * 2));
    expect(await textsOf(store)).toEqual(['e 0', 'e 1']);
  });

  it('is called unknown when the time is over, and settles when it is sent once more', async () => {
    const store = await open({ timing: { ...QUICK, appendMs: 100, settleMs: 300 } });
    server().faults.decide = () => 'lose_answer';
    const append = request();
    const unknown = await rejectionOf(store.append(append));
    expect(unknown).toBeInstanceOf(OutcomeUnknownError);
    expect(unknown).toMatchObject({ code: 'outcome_unknown' });
    server().faults.decide = null;
    expect(await store.append(append)).toMatchObject({ revision: 1n });
    expect(await textsOf(store)).toEqual(['e 0', 'e 1']);
  });

  it('is called unknown, not refused, when only a later try was refused', async () => {
    const store = await open();
    server().faults.nextAppends('drop_before', 'denied');
    expect(await rejectionOf(store.append(request()))).toBeInstanceOf(OutcomeUnknownError);
  });

  it('is a conflict when another writer took the place before it was sent again', async () => {
    const store = await open();
    const { faults, log } = server();
    const taken = {
      id: uuidV5(textEvent('').id, 'taken'),
      type: 'T',
      contentType: 'application/json',
      data: Buffer.from('{}'),
      metadata: Buffer.from('{}'),
    };
    faults.decide = ({ stream }) => {
      faults.decide = null;
      log.append(stream, 'no_stream', [taken]);
      return 'drop_before';
    };
    const refusal = await rejectionOf(store.append(request()));
    expect(refusal).toBeInstanceOf(WrongExpectedRevisionError);
    expect(refusal).toMatchObject({ actual: 0n });
    expect(log.stream(`counterfoil.${STREAM}`)).toHaveLength(1);
  });
});

describeWithSwitches('a store in EventStoreDB that is closed', () => {
  const { server, open } = eachServer();

  it('waits for the answer of what is on its way, and sends nothing again', async () => {
    const store = await open({ timing: { ...QUICK, settleMs: 3_600_000 } });
    server().faults.decide = ({ stream }) => (stream.endsWith('unknown') ? 'lose_answer' : { kind: 'delay', ms: 100 });
    const answered = store.append({ stream: 'answered', expected: 'no_stream', events: textEvents('e', 1) });
    const unknown = rejectionOf(store.append({ stream: 'unknown', expected: 'no_stream', events: textEvents('e', 1) }));
    await store.close();
    expect(await answered).toMatchObject({ revision: 0n });
    expect(await unknown).toBeInstanceOf(OutcomeUnknownError);
    expect(server().seenAppends.filter(({ stream }) => stream.endsWith('unknown'))).toHaveLength(1);
  });
});

describeWithSwitches('an append to EventStoreDB that its server refuses', () => {
  const { server, open } = eachServer();

  it('is refused at once where its user may not write: nothing is stored', async () => {
    const store = await open();
    server().faults.nextAppends('denied');
    const refusal = await rejectionOf(store.append({ stream: STREAM, expected: 'no_stream', events: textEvents('e', 1) }));
    expect(refusal).toBeInstanceOf(StoreUnavailableError);
    expect(await textsOf(store)).toEqual([]);
  });

  it('is no outcome_unknown where the last event was never there', async () => {
    const store = await open();
    const refusal = await rejectionOf(store.append({ stream: STREAM, expected: 4n, events: textEvents('e', 1) }));
    expect(refusal).toBeInstanceOf(WrongExpectedRevisionError);
    expect(server().seenAppends.filter(({ stream }) => stream.endsWith(STREAM))).toEqual([]);
  });

  it('waits for no server that is down: what was not sent is not stored', async () => {
    const store = await open({ timing: { ...QUICK, readRetryMs: 200 } });
    await store.append({ stream: STREAM, expected: 'no_stream', events: textEvents('e', 1) });
    await server().stop();
    // The hash that it links to is asked for first, after a broken connection.
    await rejectionOf(store.head());
    const refusal = await rejectionOf(store.append({ stream: STREAM, expected: 0n, events: textEvents('f', 1) }));
    expect(refusal).toBeInstanceOf(StoreUnavailableError);
  });

  it('is too large for the limits of the ledger before it is sent', async () => {
    const store = await open();
    const over = textEvent('x'.repeat(300 * 1024));
    expect(await rejectionOf(store.append({ stream: STREAM, expected: 'no_stream', events: [over] }))).toBeInstanceOf(EventTooLargeError);
  });
});

describeWithSwitches('the answer to an append to EventStoreDB', () => {
  const { server, open } = eachServer();

  it('may come without a position when it is repeated', async () => {
    const append: AppendRequest = { stream: STREAM, expected: 'no_stream', events: textEvents('e', 1) };
    const answer = await (await open()).append(append);
    const store = await open();
    server().faults.nextAppends('no_position');
    expect(await store.append(append)).toEqual({ ...answer, repeated: true });
  });

  it('is an alarm when its revision can not be', async () => {
    const store = await open();
    server().faults.nextAppends('odd_revision');
    const alarm = await rejectionOf(store.append({ stream: STREAM, expected: 'no_stream', events: textEvents('e', 1) }));
    expect(alarm).toBeInstanceOf(StreamIntegrityError);
    expect(alarm).toMatchObject({ code: 'stream_integrity' });
  });

  it('tells the position of the last event, and the events with their own', async () => {
    const store = await open();
    const { position, events } = await store.append({ stream: STREAM, expected: 'no_stream', events: textEvents('e', 3) });
    expect(events.at(-1)?.position).toBe(position);
    expect(new Set(events.map((event) => event.position)).size).toBe(3);
  });

  it('is known as repeated from the ids alone, whatever the bytes, also by a process that never saw it', async () => {
    const store = await open();
    const other = await open();
    const [event] = textEvents('as stored', 1).map(derived);
    await store.append({ stream: STREAM, expected: 'no_stream', events: [event!] });
    const changed = { ...event!, data: textEvent('changed').data };
    const again = await other.append({ stream: STREAM, expected: 'no_stream', events: [changed] });
    expect(again.events.map(textOf)).toEqual(['as stored 0']);
  });

  it('comes once though the server gives it twice', async () => {
    const store = await open();
    server().faults.nextAppends('answer_twice');
    await store.append({ stream: STREAM, expected: 'no_stream', events: textEvents('e', 1) });
    expect(await textsOf(store)).toEqual(['e 0']);
  });
});

const KINDS: readonly (AppendFaultKind | null)[] = [
  'drop_before',
  'drop_after',
  'lose_answer',
  'cancelled',
  'unavailable',
  'not_leader',
  null,
  null,
  null,
];

describeWithSwitches('many appends to EventStoreDB under faults of every kind', () => {
  const { server, open } = eachServer();

  it('are stored once each when they are acknowledged, in the order of their stream', async () => {
    const store = await open({ timing: { ...QUICK, appendMs: 250, settleMs: 20_000 } });
    let n = 0;
    server().faults.decide = () => KINDS[(n++ * 7) % KINDS.length] ?? null;
    const streams = Array.from({ length: 8 }, (_, index) => `session-default/chaos-${index}`);
    const writeAll = async (stream: string): Promise<void> => {
      for (let at = 0; at < 5; at++) {
        await store.append({ stream, expected: at === 0 ? 'no_stream' : BigInt(at - 1), events: [textEvent(`${at}`)] });
      }
    };
    await Promise.all(streams.map(writeAll));
    server().faults.decide = null;
    for (const stream of streams) expect(await textsOf(store, stream)).toEqual(Array.from({ length: 5 }, (_, at) => `${at}`));
    const lost = server().seenAppends.filter(({ fault }) => fault !== null && fault !== 'not_leader');
    const stored = lost.filter(({ fault }) => fault !== 'drop_before').length;
    // Of those with no answer some were stored and some were not.
    expect(stored).toBeGreaterThan(0);
    expect(stored).toBeLessThan(lost.length);
    const ids = (await collect(store.readStored(null))).map(({ id }) => id);
    expect(new Set(ids).size).toBe(8 * 5);
    expect(ids).toHaveLength(8 * 5);
  });
});
