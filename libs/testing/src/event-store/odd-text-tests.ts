import { eventHash } from '@counterfoil/canonical';
import type { EventData, StoredEvent } from '@counterfoil/contracts';
import { digestOf, payloadOf, receiptNamed, sessionClosed, toolCallRequested } from '../given/index.js';
import type { EventStoreFactory } from './harness.js';
import { eachTest } from './harness.js';
import { collect, newEvent, textEvent, textEvents, textOf } from './new-events.js';

const STREAM = 'session-default/odd:._-';

const TEXTS = [
  '',
  '\u0000 and \u001f and \u007f',
  'line \u2028 paragraph \u2029 end',
  'emoji 🧾👩‍👩‍👧 and 𐀀\ufffd',
  'e\u0301 is not \u00e9',
  '\u202eright to left\u202c and \u200b nothing',
  '"quotes" \\ and \\u0000 and {"json":"in text"}',
  '__proto__',
  "'; DROP TABLE events; --",
];

export function historical(coordinates: Record<string, string | null>): {
  type: 'HistoricalReceiptImported';
  data: EventData<'HistoricalReceiptImported'>;
} {
  const data = {
    workspaceId: 'default',
    receiptId: receiptNamed('historical'),
    recordKey: 'record-1',
    importRun: 'run-1',
    format: 'sample',
    generation: '1',
    surface: 'event',
    coordinates,
    original: payloadOf({ tool: 'read_file' }),
    contentDigest: digestOf('content'),
    argumentsFidelity: ['text'],
    fingerprint: 'match' as const,
    anomalies: [],
  };
  return { type: 'HistoricalReceiptImported', data };
}

function recomputed(event: StoredEvent): string {
  const { stream, revision, id, type, version, data, metadata } = event;
  return eventHash({ stream, revision: String(revision), id, type, version: Number(version), data, metadata });
}

/** Text of every kind is stored without loss, and the hash is over exactly what comes back. */
export function oddTextTests(factory: EventStoreFactory): void {
  describe('odd text', () => {
    const store = eachTest(factory);

    it('comes back as it was', async () => {
      const events = TEXTS.map((text) => textEvent(text, { correlationId: `c${text}`.slice(0, 200) }));
      await store.current().append({ stream: STREAM, expected: 'no_stream', events });
      const read = await collect((await store.reopen()).readStream(STREAM));
      expect(read.map(textOf)).toEqual(TEXTS);
      expect(read.map((event) => event.metadata.correlationId)).toEqual(events.map((event) => event.metadata.correlationId));
    });

    it('in a payload: a lone surrogate that is escaped in JSON text', async () => {
      const payload = { ...payloadOf(''), json: String.raw`"cut \ud83e here, \u0000 there"` };
      const events = [newEvent(toolCallRequested({ arguments: payload })), newEvent(sessionClosed({ reason: payload }))];
      const appended = await store.current().append({ stream: STREAM, expected: 'no_stream', events });
      expect(appended.events[0]?.data).toEqual(events[0]?.data);
      const read = await collect(store.current().readStream(STREAM));
      expect(read.map((event) => event.data)).toEqual(events.map((event) => event.data));
    });

    it('as keys of a record: __proto__, constructor and numbers', async () => {
      const text = '{"2":"b","10":"a","__proto__":"x","constructor":null,"":"empty"}';
      const event = newEvent(historical(JSON.parse(text) as Record<string, string | null>));
      const appended = await store.current().append({ stream: 'history-default/odd', expected: 'no_stream', events: [event] });
      const [stored] = await collect(store.current().readStored(null));
      for (const data of [appended.events[0]?.data, stored?.data]) {
        const { coordinates } = data as EventData<'HistoricalReceiptImported'>;
        expect(Object.entries(coordinates).sort()).toEqual(Object.entries(JSON.parse(text) as object).sort());
      }
    });
  });

  describe('the hash chain', () => {
    const store = eachTest(factory);

    it('is over what comes back: recomputed from any read, linked from each event to the one before in its stream', async () => {
      await store.current().append({ stream: STREAM, expected: 'no_stream', events: TEXTS.map((text) => textEvent(text)) });
      await store.current().append({ stream: 'session-default/two', expected: 'no_stream', events: textEvents('two', 2) });
      await store.current().append({ stream: STREAM, expected: BigInt(TEXTS.length - 1), events: textEvents('last', 2) });
      const stored = await collect(store.current().readStored(null));
      const last = new Map<string, string>();
      for (const event of stored) {
        expect(event.metadata.integrity).toEqual({ prev: last.get(event.stream) ?? null, hash: recomputed(event) });
        last.set(event.stream, event.metadata.integrity.hash);
      }
      expect(stored).toHaveLength(TEXTS.length + 4);
    });
  });
}
