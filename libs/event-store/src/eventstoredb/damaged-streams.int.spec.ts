import { collect, describeWithSwitches, eachServer, rejectionOf, take, textEvent, textEvents, textOf } from '@counterfoil/testing';
import { StreamIntegrityError } from '../errors.js';
import { verifyStore } from '../verify.js';
import { eachOtherProgram } from './testing/other-program.js';

const STREAM = 'session-default/damaged';
const NAME = `counterfoil.${STREAM}`;
const written = (text: string) => ({
  id: textEvent('').id,
  type: 'T',
  contentType: 'application/json',
  data: Buffer.from(text),
  metadata: Buffer.from('{}'),
});

describeWithSwitches('stack.md, EventStoreDB row 5: a stream was deleted by somebody with more rights', () => {
  const { server, open } = eachServer();

  it('an append at no stream then goes on with its old revisions: that is an alarm', async () => {
    const store = await open();
    await store.append({ stream: STREAM, expected: 'no_stream', events: textEvents('e', 3) });
    server().log.softDelete(NAME);
    expect(await store.streamHead(STREAM)).toBeNull();
    const alarm = await rejectionOf(store.append({ stream: STREAM, expected: 'no_stream', events: textEvents('new', 1) }));
    expect(alarm).toBeInstanceOf(StreamIntegrityError);
    expect(alarm).toMatchObject({ code: 'stream_integrity', stream: STREAM });
    // And so is what it left: a stream that doesn't begin at its begin.
    expect(await rejectionOf(collect(store.readStream(STREAM)))).toBeInstanceOf(StreamIntegrityError);
    expect((await verifyStore(store)).ok).toBe(false);
  });

  it('its events are read with all others until a scavenge, and then the others are', async () => {
    const store = await open();
    await store.append({ stream: 'before', expected: 'no_stream', events: textEvents('before', 1) });
    await store.append({ stream: STREAM, expected: 'no_stream', events: textEvents('deleted', 3) });
    await store.append({ stream: 'after', expected: 'no_stream', events: textEvents('after', 1) });
    server().log.softDelete(NAME);
    const all = ['before 0', 'deleted 0', 'deleted 1', 'deleted 2', 'after 0'];
    expect((await collect(store.readStored(null))).map(textOf)).toEqual(all);
    server().log.scavenge(NAME);
    const kept = ['before 0', 'after 0'];
    expect((await collect(store.readStored(null))).map(textOf)).toEqual(kept);
    expect((await take(store, { after: null, batchSize: 1 }, (events) => events.length >= 2)).map(textOf)).toEqual(kept);
  });

  it('one that was deleted for good is an alarm when it is read and when it is appended to', async () => {
    const store = await open();
    await store.append({ stream: STREAM, expected: 'no_stream', events: textEvents('e', 1) });
    server().log.tombstone(NAME);
    expect(await rejectionOf(collect(store.readStream(STREAM)))).toBeInstanceOf(StreamIntegrityError);
    const append = store.append({ stream: STREAM, expected: 0n, events: textEvents('f', 1) });
    expect(await rejectionOf(append)).toBeInstanceOf(StreamIntegrityError);
  });
});

describeWithSwitches('a stream of ours that another program wrote into', () => {
  const { server, open } = eachServer();
  const others = eachOtherProgram(server);

  it.each([
    ['an event of no type of ours', { type: 'SomethingElse', data: { a: 1 } }],
    ['an event without our metadata', { type: 'ToolCallRejected', data: {}, metadata: { integrity: { prev: 7 } } }],
    ['an event whose link is a list', { type: 'ToolCallRejected', data: {}, metadata: { integrity: [] } }],
  ])('(%s) tells it beside the others, and reading that stream says so', async (_what, event) => {
    const store = await open();
    await store.append({ stream: STREAM, expected: 'no_stream', events: textEvents('e', 1) });
    await others().writeTo(NAME, [event]);
    await store.append({ stream: 'other', expected: 'no_stream', events: textEvents('f', 1) });
    const batches = await collect(store.readAll(null));
    expect(batches.flatMap(({ events }) => events.map(textOf))).toEqual(['e 0', 'f 0']);
    expect(batches.flatMap(({ unreadable }) => unreadable.map(({ stream, revision }) => [stream, revision]))).toEqual([[STREAM, 1n]]);
    expect(await rejectionOf(collect(store.readStream(STREAM)))).toMatchObject({ code: 'upcast_failed' });
    expect((await verifyStore(store)).faultCount).toBeGreaterThan(0);
  });

  it('takes no append after what has no hash to link to', async () => {
    const store = await open();
    await store.append({ stream: STREAM, expected: 'no_stream', events: textEvents('e', 1) });
    await others().writeTo(NAME, [{ type: 'SomethingElse', data: {} }]);
    expect(await rejectionOf(store.streamHead(STREAM))).toBeInstanceOf(StreamIntegrityError);
    const append = store.append({ stream: STREAM, expected: 1n, events: textEvents('f', 1) });
    expect(await rejectionOf(append)).toBeInstanceOf(StreamIntegrityError);
  });

  it.each([
    ['no JSON', 'no JSON {'],
    ['JSON with a lone surrogate', String.raw`{"a":"\ud800"}`],
    ['a list that is nested deeply', `${'['.repeat(20_000)}${']'.repeat(20_000)}`],
  ])('(%s) is no end of the process, of a subscription or of a verification', async (_what, text) => {
    const store = await open();
    server().log.write(NAME, [written(text)]);
    await store.append({ stream: 'other', expected: 'no_stream', events: textEvents('f', 1) });
    const batches = await collect(store.readAll(null));
    expect(batches.flatMap(({ events, unreadable }) => [events.length, unreadable.length])).toEqual([1, 1]);
    const report = await verifyStore(store);
    expect(report.faultsByKind).toMatchObject({ unparseable: 1 });
  });

  it('in a link or another system event is not read at all', async () => {
    const store = await open();
    server().log.write(NAME, [{ ...written('0@another'), type: '$>' }]);
    expect(await store.head()).toBe(0n);
    expect(await collect(store.readStored(null))).toEqual([]);
  });
});

describeWithSwitches('the verification of a store in EventStoreDB', () => {
  const { server, open } = eachServer();
  const others = eachOtherProgram(server);

  it('finds nothing where nothing was changed, and goes on from an earlier run', async () => {
    const store = await open();
    await others().write(40);
    await store.append({ stream: STREAM, expected: 'no_stream', events: textEvents('e', 5) });
    await store.append({ stream: 'session-default/b', expected: 'no_stream', events: textEvents('b', 2) });
    const first = await verifyStore(store);
    expect(first).toMatchObject({ ok: true, events: 7, streams: 2 });
    await store.append({ stream: STREAM, expected: 4n, events: textEvents('later', 2) });
    const second = await verifyStore(store, { resumeAfter: first.position });
    expect(second).toMatchObject({ ok: true, events: 2, streams: 1 });
  });

  it('finds an event that was put into another stream, and one that was edited', async () => {
    const store = await open();
    await store.append({ stream: STREAM, expected: 'no_stream', events: textEvents('e', 2) });
    const [first] = await collect(store.readStored(null));
    const { id, type, data, metadata } = first!;
    await others().writeTo('counterfoil.session-default/copy', [
      { type, data: data as Record<string, unknown>, metadata: { schemaVersion: 1, ...metadata }, id },
    ]);
    await others().writeTo('counterfoil.session-default/edited', [
      { type, data: { ...(data as object), detail: 'edited' }, metadata: { schemaVersion: 1, ...metadata } },
    ]);
    const { faultsByKind } = await verifyStore(store);
    expect(faultsByKind).toEqual({ hash_mismatch: 2 });
  });
});
