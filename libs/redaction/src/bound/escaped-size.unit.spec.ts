import { PAYLOAD_LIMIT_BYTES } from '@counterfoil/contracts';
import { redactRecord } from '../record/redact-record.js';

const key = { id: 'k1', secret: new Uint8Array(32).fill(7) };

/** In an event a payload stands as JSON text within JSON text, where each quote and backslash is escaped once more. */
const inEvent = (json: string): number => Buffer.byteLength(JSON.stringify(json)) - 2;

describe('a payload of quotes or backslashes made an event too large to record', () => {
  it.each([
    ['quotes', '"'.repeat(200_000)],
    ['backslashes', '\\'.repeat(200_000)],
    ['NUL', '\u0000'.repeat(100_000)],
    ['emoji', '🧾'.repeat(64_000)],
    ['short strings', Array.from({ length: 30_000 }, () => '"\\"')],
  ])('%s: at most 64 KiB after escaping, still JSON, marked', (_name, value) => {
    const text = JSON.stringify(value);
    const { payloads } = redactRecord({ output: { kind: 'json', text } }, { key, known: [] });
    const { json, state, bytes } = payloads.output ?? { json: '', state: '', bytes: 0 };
    expect(inEvent(json)).toBeLessThanOrEqual(PAYLOAD_LIMIT_BYTES);
    expect(inEvent(json)).toBeGreaterThan(PAYLOAD_LIMIT_BYTES * 0.9);
    expect(() => JSON.parse(json) as unknown).not.toThrow();
    expect([state, bytes]).toEqual(['cut', Buffer.byteLength(text)]);
    expect(json).toContain('cut');
  });
});
