import { redactRecord, WINDOW_UNITS } from './redact-record.js';

const key = { id: 'k1', secret: new Uint8Array(32).fill(7) };
const SECRET = 'FAKEwindowQ7x9zW3vU5';

describe('one huge input held up the whole server', () => {
  it('is looked at in its beginning only, and nothing beyond is kept', () => {
    const text = JSON.stringify({ token: SECRET, filler: 'x '.repeat(WINDOW_UNITS), end: 'beyond the window' });
    const { payloads } = redactRecord({ output: { kind: 'json', text } }, { key, known: [] });
    const { json, state, bytes } = payloads.output ?? { json: '', state: '', bytes: 0 };
    expect([state, bytes]).toEqual(['cut', text.length]);
    expect(json).not.toContain(SECRET);
    expect(json).not.toContain('beyond');
    expect(JSON.parse(json)).toEqual(expect.stringMatching(/^\{"token":"\[redacted:.*…\[cut: [0-9]+ bytes\]$/s));
  });

  it('keeps a known secret out of the other inputs of the record', () => {
    const text = JSON.stringify({ token: SECRET, filler: 'x '.repeat(WINDOW_UNITS) });
    const record = { output: { kind: 'json', text }, message: { kind: 'text', text: `${SECRET} was refused` } } as const;
    const { payloads } = redactRecord(record, { key, known: [] });
    expect(payloads.message?.json).not.toContain(SECRET);
  });

  it('a window that ends within a surrogate pair takes none of it', () => {
    const { payloads } = redactRecord({ output: { kind: 'text', text: `ab${'🧾'.repeat(100)}` } }, { key, known: [], window: 103 });
    expect(payloads.output?.anomalies).toEqual([]);
    expect(payloads.output?.state).toBe('cut');
  });

  it('is as large as it is told where a whole row is wanted', () => {
    const text = JSON.stringify({ filler: 'x '.repeat(WINDOW_UNITS), end: 'the end' });
    const { payloads } = redactRecord({ row: { kind: 'json', text } }, { key, known: [], window: Infinity });
    expect(JSON.parse(payloads.row?.json ?? '')).toMatchObject({ end: 'the end' });
  });
});
