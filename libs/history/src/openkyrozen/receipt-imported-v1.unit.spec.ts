import { readFileSync, readdirSync } from 'node:fs';
import fc from 'fast-check';
import { CURRENT_VERSIONS, EVENTS } from '@counterfoil/contracts';
import type { EventData } from '@counterfoil/contracts';
import { LEDGER_STEPS, UpcastError, UpcastingRegistry } from '@counterfoil/event-store';
import type { UpcastEvent } from '@counterfoil/event-store';
import { prepareRecord } from '../import/prepare-record.js';
import { CONTEXT } from '../testing/import-context.js';
import { invented } from '../testing/invented-rows.js';
import type { RowJson } from '../testing/invented-rows.js';
import { RECEIPT_IMPORTED_V1 } from './receipt-imported-v1.js';
import { recognise } from './recognise.js';

type Requested = EventData<'ToolCallRequested'>;
type Observed = EventData<'ToolCallObserved'>;

const registry = new UpcastingRegistry({ types: CURRENT_VERSIONS, steps: [...LEDGER_STEPS, RECEIPT_IMPORTED_V1] });
const SOURCE = { stream: 'history-default/x', id: 'x', metadata: {} } as unknown as Parameters<typeof registry.upcast>[1];
const up = (stored: UpcastEvent): readonly UpcastEvent[] => registry.upcast(stored, SOURCE);

/** The stored event of a row; null if the importer would not store it as a receipt. */
function stored(text: string): UpcastEvent | null {
  const [found] = recognise(text);
  if (found?.kind !== 'receipt') return null;
  const prepared = prepareRecord(found, CONTEXT);
  return 'reason' in prepared ? null : { type: prepared.event.type, version: prepared.event.version, data: prepared.event.data };
}

function current(text: string): { requested: Requested; observed: Observed } {
  const event = stored(text);
  if (event === null) throw new Error('the importer would not store this');
  const [requested, observed] = up(event).map(({ data }) => data);
  return { requested: requested as Requested, observed: observed as Observed };
}

const golden = (file: string): unknown => JSON.parse(readFileSync(new URL(`./golden/${file}`, import.meta.url), 'utf8'));
const names = readdirSync(new URL('./golden/', import.meta.url))
  .filter((file) => file.endsWith('.stored.json'))
  .map((file) => file.slice(0, -'.stored.json'.length));

describe('RECEIPT_IMPORTED_V1: golden pairs', () => {
  it.each(names)('%s', (name) => {
    // The step alone: the versions to which it leads were written, and stay as they are; further steps lead on from there.
    expect(RECEIPT_IMPORTED_V1.up(golden(`${name}.stored.json`) as UpcastEvent, SOURCE)).toEqual(golden(`${name}.upcast.json`));
  });

  it.each(names)('%s: leads on to events of today, with all that the step gave', (name) => {
    const parts = up(golden(`${name}.stored.json`) as UpcastEvent);
    expect(parts.map(({ type, version }) => [type, version])).toEqual([
      ['ToolCallRequested', CURRENT_VERSIONS.ToolCallRequested],
      ['ToolCallObserved', CURRENT_VERSIONS.ToolCallObserved],
    ]);
    const given = golden(`${name}.upcast.json`) as readonly UpcastEvent[];
    expect(parts.map(({ data }) => data)).toMatchObject(given.map(({ data }) => data as object));
  });

  it('has some', () => {
    expect(names.length).toBeGreaterThanOrEqual(8);
  });
});

describe('RECEIPT_IMPORTED_V1', () => {
  it('leaves what is stored as it is, and reads it alike each time', () => {
    const event = golden('secrets-in-text-payload.stored.json') as UpcastEvent;
    const before = structuredClone(event);
    const first = up(event);
    expect(up(event)).toEqual(first);
    expect(event).toEqual(before);
  });

  it('fails on a format or generation that it does not know, and on a record that is gone', () => {
    const event = golden('read.stored.json') as UpcastEvent & { data: RowJson };
    const changed = (changes: RowJson): UpcastEvent => ({ ...event, data: { ...event.data, ...changes } });
    expect(() => up(changed({ generation: '9' }))).toThrow(UpcastError);
    expect(() => up(changed({ format: 'other' }))).toThrow(UpcastError);
    expect(() => up(changed({ original: { ...(event.data['original'] as object), json: 'null' } }))).toThrow(UpcastError);
  });

  it('says of a part that was cut how large it was, and leaves the others whole', () => {
    const content = 'é'.repeat(50_000);
    const { requested, observed } = current(
      invented.line({}, { action: 'write_file', args: { path: 'a.txt', content }, result: 'Wrote it' }),
    );
    const whole = JSON.stringify({ path: 'a.txt', content });
    expect(requested.arguments).toMatchObject({ state: 'cut', bytes: Buffer.byteLength(whole) });
    expect(requested.arguments.storedBytes).toBe(Buffer.byteLength(requested.arguments.json));
    expect(observed.original).toMatchObject({ state: 'cut' });
    expect(observed.result).toMatchObject({ state: 'whole', json: '"Wrote it"', bytes: 10, storedBytes: 10 });
  });

  it('moves a redaction to where its text stands now', () => {
    const inField = current(invented.line({}, { action: 'run_cmd', args: 'curl -H "Authorization: Bearer FAKEbearer0123456789abcdef"' }));
    expect(inField.requested.arguments.redactions.map(({ path }) => path)).toEqual(['/command']);
    const inSeveral = current(invented.line({}, { action: 'write_file', args: 'a.env|password=FAKE-pass-1111' }));
    expect(inSeveral.requested.arguments.redactions.map(({ path }) => path)).toEqual(['']);
    const inObject = current(invented.line({}, { action: 'write_file', args: { file_path: 'a', text: '{"api_key":"FAKE-key-2222"}' } }));
    expect(inObject.requested.arguments.redactions.map(({ path }) => path)).toEqual(['/content#/api_key']);
  });

  it('gives the size before redaction', () => {
    const args = 'deploy password=FAKE-pass-3333 now';
    const { requested } = current(invented.line({}, { action: 'run_cmd', args }));
    expect(requested.arguments.bytes).toBe(Buffer.byteLength(JSON.stringify({ command: args })));
  });

  it('keeps a result of odd text losslessly', () => {
    const result = 'a\u0000b\ud800c"\u2028';
    const { observed } = current(invented.line({}, { result }));
    expect(JSON.parse(observed.result?.json ?? '')).toBe(result);
    expect([...(observed.result?.anomalies ?? [])].sort()).toEqual(['lone_surrogate', 'nul']);
  });

  it('never reads a status from words', () => {
    for (const words of ['Error: not found', 'Exit code 1', 'ok', 'Traceback', '失敗しました', '']) {
      expect(current(invented.line({}, { result: words, success: true })).observed.status).toBe('succeeded');
      expect(current(invented.line({}, { result: words, success: false })).observed.status).toBe('failed');
    }
  });

  it('never gives an approval, a dispatch or a task that was not recorded', () => {
    for (const name of names) {
      const events = up(golden(`${name}.stored.json`) as UpcastEvent);
      expect(events.map(({ type }) => type)).toEqual(['ToolCallRequested', 'ToolCallObserved']);
      expect(events[0]?.data).toMatchObject({ approval: { required: false, reasons: [] }, turn: null });
    }
  });
});

describe('RECEIPT_IMPORTED_V1: anything that the importer stores', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc.constantFrom('None', 'a|b', '…[cut: 9 bytes]', '[redacted:x:3]', '<redacted>', 'password=FAKE-pass-4444', 'x'.repeat(2000)),
    fc.constantFrom('{"token":"FAKE-token-5555"}', 'é'.repeat(999)),
  );
  // A few over the limit of a payload: most runs should be quick.
  const large = fc.nat({ max: 40_000 }).map((length) => 'é'.repeat(length));
  const value = fc.oneof(
    { weight: 40, arbitrary: text },
    { weight: 1, arbitrary: large },
    { weight: 10, arbitrary: fc.jsonValue({ maxDepth: 3 }) },
    { weight: 15, arbitrary: fc.constantFrom(null, true, false, 0, -9, 2 ** 40) },
  );
  const action = fc.oneof(fc.constantFrom('read_file', 'write_file', 'run_cmd', 'bash', 'browser_type', 'find_files', 'frobnicate'), text);
  const inPayload = fc.record(
    {
      action,
      args: value,
      result: value,
      failure: value,
      exit_code: value,
      verified_effect: value,
      success: value,
      authorized: value,
      operation_id: text,
    },
    { requiredKeys: ['action'] },
  );
  const inRow = fc.record({ id: text, user_id: text, session_id: text, task_id: text, workspace_id: text }, { requiredKeys: [] });

  it('is read again, whatever it is, as events that the schemas take whole', () => {
    let kept = 0;
    fc.assert(
      fc.property(inPayload, inRow, fc.integer({ min: 0, max: 2 }), (payload, row, encodings) => {
        let inner: unknown = invented.payload(payload);
        for (let n = 0; n < encodings; n++) inner = JSON.stringify(inner);
        const event = stored(JSON.stringify(invented.row({ ...row, payload: inner })));
        if (event === null) return;
        kept++;
        expect(EVENTS.HistoricalReceiptImported.parse(event.data)).toEqual(event.data);
        const [requested, observed] = up(event);
        expect(EVENTS.ToolCallRequested.parse(requested?.data)).toEqual(requested?.data);
        expect(EVENTS.ToolCallObserved.parse(observed?.data)).toEqual(observed?.data);
        const payloads = [(requested?.data as Requested).arguments, (observed?.data as Observed).result];
        for (const part of payloads) {
          if (part === null) continue;
          JSON.parse(part.json);
          expect(part.storedBytes).toBe(Buffer.byteLength(part.json));
        }
        expect(JSON.stringify([event, requested, observed])).not.toMatch(/FAKE-(pass|token)-/);
      }),
      { numRuns: 300 },
    );
    expect(kept).toBeGreaterThan(100);
  });
});
