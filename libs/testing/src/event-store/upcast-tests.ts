import { CURRENT_VERSIONS, STORED_EVENTS } from '@counterfoil/contracts';
import type { NewEvent, RecordedEvent } from '@counterfoil/contracts';
import { LEDGER_STEPS, UpcastError, UpcastingRegistry } from '@counterfoil/event-store';
import type { EventStore, UpcastEvent, UpcastStep } from '@counterfoil/event-store';
import { z } from 'zod';
import { sessionOpened, toolCallObserved, toolCallRejected, toolCallRequested } from '../given/index.js';
import type { EventStoreFactory, EventStoreSetup } from './harness.js';
import { eachTest } from './harness.js';
import { collect, newEvent, rejectionOf, textEvents, textOf } from './new-events.js';
import { historical } from './odd-text-tests.js';

const STREAM = 'session-default/upcast';

/** A later version of the code: rejections have version 2, old records are translated into two events. */
const rejectedToTwo: UpcastStep = {
  type: 'ToolCallRejected',
  from: 1,
  to: 2,
  up: (event) => [{ ...event, version: 2, data: { ...(event.data as object), detail: `${textOf(event)}, upcast` } }],
};
const translated: UpcastStep = {
  type: 'HistoricalReceiptImported',
  from: 1,
  into: [
    { type: 'ToolCallRequested', version: 2 },
    { type: 'ToolCallObserved', version: 1 },
  ],
  up: () => [toolCallRequested(), toolCallObserved()].map((event): UpcastEvent => ({ ...event, version: CURRENT_VERSIONS[event.type] })),
};

function setupOf(steps: readonly UpcastStep[], versions: Partial<typeof CURRENT_VERSIONS> = {}): EventStoreSetup {
  const types = { ...CURRENT_VERSIONS, ...versions };
  return { registry: new UpcastingRegistry({ types, steps: [...LEDGER_STEPS, ...steps] }), schemas: null };
}

const LATER = setupOf([rejectedToTwo, translated], { ToolCallRejected: 2 });

/** Every way in which the port gives recorded events. */
async function everyReadPath(
  store: EventStore,
  stream: string,
  again: () => Promise<readonly RecordedEvent[]>,
): Promise<RecordedEvent[][]> {
  const subscribed: RecordedEvent[] = [];
  const abort = new AbortController();
  for await (const batch of store.subscribeAll({ after: null, signal: abort.signal })) {
    subscribed.push(...batch.events);
    if (batch.caughtUp) abort.abort();
  }
  const backwards = await collect(store.readStream(stream, { direction: 'backwards' }));
  return [
    await collect(store.readStream(stream)),
    backwards.toSorted((a, b) => Number(a.revision - b.revision) || a.part - b.part),
    (await collect(store.readAll(null))).flatMap((batch) => batch.events),
    subscribed,
    [...(await again())],
  ];
}

/** Old events are read in today's form, the same on every path (case 50). */
export function upcastTests(factory: EventStoreFactory): void {
  formTests(factory);
  translationTests(factory);
  unreadableTests(factory);
}

function formTests(factory: EventStoreFactory): void {
  describe('upcasting', () => {
    const store = eachTest(factory);

    it('gives the current form on every read path, also as the answer to an append', async () => {
      const request = { stream: STREAM, expected: 'no_stream' as const, events: textEvents('old', 2) };
      await store.current().append(request);
      const later = await store.reopen(LATER);
      const again = { ...request, events: request.events.map((event) => ({ ...event, version: 2 })) };
      const paths = await everyReadPath(later, STREAM, async () => (await later.append(again)).events);
      for (const path of paths) {
        expect(path.map(textOf)).toEqual(['old 0, upcast', 'old 1, upcast']);
        expect(path).toEqual(paths[0]);
      }
      const stored = await collect(later.readStored(null));
      expect(stored.map((event) => [textOf(event), event.version])).toEqual([
        ['old 0', 1],
        ['old 1', 1],
      ]);
    });

    it('does not touch what is written in the new version', async () => {
      await store.current().append({ stream: STREAM, expected: 'no_stream', events: textEvents('old', 1) });
      const later = await store.reopen(LATER);
      const event: NewEvent = { ...newEvent(toolCallRejected({ detail: 'new' })), version: 2 };
      const result = await later.append({ stream: STREAM, expected: 0n, events: [event] });
      expect(result.events.map(textOf)).toEqual(['new']);
      expect((await collect(later.readStream(STREAM))).map(textOf)).toEqual(['old 0, upcast', 'new']);
    });
  });
}

function translationTests(factory: EventStoreFactory): void {
  describe('upcasting of one event', () => {
    const store = eachTest(factory);

    it('makes several of it, which share its revision, and counts stored events', async () => {
      const later = await store.reopen(LATER);
      const stream = 'history-default/record-1';
      const request = {
        stream,
        expected: 'no_stream' as const,
        events: [newEvent(historical({ id: 'a' })), newEvent(historical({ id: 'b' }))],
      };
      const appended = await later.append(request);
      expect(appended.revision).toBe(1n);
      const paths = await everyReadPath(later, stream, async () => (await later.append(request)).events);
      for (const path of [...paths, appended.events]) {
        expect(path.map(({ type, revision, part, parts }) => [type, revision, part, parts])).toEqual([
          ['ToolCallRequested', 0n, 0, 2],
          ['ToolCallObserved', 0n, 1, 2],
          ['ToolCallRequested', 1n, 0, 2],
          ['ToolCallObserved', 1n, 1, 2],
        ]);
        expect(path).toEqual(paths[0]);
      }
      expect(await collect(later.readStream(stream, { limit: 1 }))).toHaveLength(2);
    });

    it('keeps a field that the schema of today does not know', async () => {
      const schemas = { ...STORED_EVENTS, ToolCallRejected: STORED_EVENTS.ToolCallRejected.extend({ former: z.string() }) };
      const before = await store.reopen({ ...setupOf([]), schemas });
      const former = newEvent(toolCallRejected());
      const event = { ...former, data: { ...(former.data as object), former: 'kept' } };
      await before.append({ stream: STREAM, expected: 'no_stream', events: [event] });
      const [read] = await collect((await store.reopen()).readStream(STREAM));
      expect(read?.data).toEqual(event.data);
      const [upcast] = await collect((await store.reopen(LATER)).readStream(STREAM));
      expect(upcast?.data).toMatchObject({ former: 'kept' });
    });
  });
}

const failing: UpcastStep = {
  ...rejectedToTwo,
  to: 2,
  up: (event, source) => {
    if (textOf(event) === 'FAKE-poison 1') throw new TypeError(`can't read ${textOf(event)}`);
    return rejectedToTwo.up(event, source);
  },
};

function unreadableTests(factory: EventStoreFactory): void {
  describe('an event that can not be read', () => {
    const store = eachTest(factory);
    beforeEach(async () => {
      await store.current().append({ stream: 'before', expected: 'no_stream', events: [newEvent(sessionOpened())] });
      await store.current().append({ stream: STREAM, expected: 'no_stream', events: textEvents('FAKE-poison', 3) });
      await store.current().append({ stream: 'after', expected: 'no_stream', events: [newEvent(sessionOpened())] });
    });

    it.each([
      ['whose step fails', setupOf([failing], { ToolCallRejected: 2 }), 1],
      ['of a type that is unknown', withoutRejections(), 3],
    ])('%s is told beside the others and stops none of them', async (_what, setup, unreadable) => {
      const later = await store.reopen(setup);
      const batches = await collect(later.readAll(null, { batchSize: 2 }));
      const told = batches.flatMap((batch) => batch.unreadable);
      expect(told).toHaveLength(unreadable);
      const stored = (await collect(later.readStored(null))).filter((event) => told.some((one) => one.position === event.position));
      expect(told.map(({ position, stream, revision, type }) => ({ position, stream, revision, type }))).toEqual(
        stored.map(({ position, stream, revision, type }) => ({ position, stream, revision, type })),
      );
      expect(batches.flatMap((batch) => batch.events)).toHaveLength(5 - unreadable);
      expect(batches.at(-1)?.position).toBe(await later.head());
      for (const { reason } of told) {
        expect(reason).toContain(STREAM);
        expect(reason).toContain('ToolCallRejected');
        expect(reason).not.toContain('FAKE');
      }
    });

    it('ends the reading of its own stream with an error that names it', async () => {
      const later = await store.reopen(setupOf([failing], { ToolCallRejected: 2 }));
      const refusal = await rejectionOf(collect(later.readStream(STREAM)));
      expect(refusal).toBeInstanceOf(UpcastError);
      expect(String(refusal)).toContain('revision 1');
      expect(String(refusal)).not.toContain('FAKE');
      expect(await collect(later.readStream('after'))).toHaveLength(1);
    });
  });
}

function withoutRejections(): EventStoreSetup {
  const types = Object.fromEntries(Object.entries(CURRENT_VERSIONS).filter(([type]) => type !== 'ToolCallRejected'));
  return { registry: new UpcastingRegistry({ types, steps: LEDGER_STEPS }), schemas: null };
}
