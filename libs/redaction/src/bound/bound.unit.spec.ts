import { redactFree, redactJson, textOf } from '../spec-support.js';
import { bound } from './bound.js';
import { escapedBytes } from './size.js';

const cut = (value: unknown, limit: number): string => {
  const json = JSON.stringify(value);
  const out = bound(json, limit, Buffer.byteLength(json));
  expect(escapedBytes(out)).toBeLessThanOrEqual(limit);
  return out;
};

describe('a limit in bytes (case 46)', () => {
  it('64,000 emoji are 256,000 bytes, and no pair is split', () => {
    const { payload } = redactFree('🧾'.repeat(64_000));
    expect(payload).toMatchObject({ bytes: 256_000, state: 'cut' });
    expect(escapedBytes(payload.json)).toBeLessThanOrEqual(64 * 1024);
    expect(payload.json.isWellFormed()).toBe(true);
    expect(textOf(payload)).toMatch(/^(🧾)+…\[cut: 256000 bytes\]$/u);
  });

  it.each([64, 65, 66, 67, 68, 69, 70, 100, 200])('emoji spelled as escapes at %i bytes', (limit) => {
    const json = `"${'\\ud83e\\uddfe'.repeat(100)}"`;
    const out = bound(json, limit, 400);
    expect(escapedBytes(out)).toBeLessThanOrEqual(limit);
    expect(JSON.parse(out)).toMatch(/^(🧾)*…\[cut: 400 bytes\]$/u);
  });

  it('what fits exactly is whole, one byte more is cut', () => {
    expect(bound(`"${'x'.repeat(196)}"`, 200, 196)).toHaveLength(198);
    expect(bound(`"${'x'.repeat(197)}"`, 200, 197)).toContain('…[cut: 197 bytes]');
  });

  it('long strings are shortened alike, short ones stay', () => {
    const out = JSON.parse(cut({ a: 'x'.repeat(5000), b: 'y'.repeat(9000), c: 'short', d: [1, true, null] }, 1000)) as Record<
      string,
      string
    >;
    expect(out).toMatchObject({ c: 'short', d: [1, true, null] });
    expect(out.a).toMatch(/^x{300,}…\[cut: 5000 bytes\]$/);
    expect(out.b).toMatch(/^y{300,}…\[cut: 9000 bytes\]$/);
  });

  it('a string that was cut before still states its first size', () => {
    const once = bound(JSON.stringify('z'.repeat(5000)), 1000, 5000);
    expect(JSON.parse(bound(once, 200, Buffer.byteLength(once)))).toMatch(/^z+…\[cut: 5000 bytes\]$/);
  });

  it('10,000 keys: the first ones stay, and how many went is said', () => {
    const value = Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`key${String(at)}`, at]));
    const out = JSON.parse(cut(value, 2000)) as Record<string, unknown>;
    const kept = Object.keys(out).length - 1;
    expect(out.key0).toBe(0);
    expect(out['…[cut]']).toBe(`…[cut: ${String(10_000 - kept)} of 10000 members, ${String(JSON.stringify(value).length)} bytes]`);
    expect(kept).toBeGreaterThan(80);
  });

  it('an array of rows loses rows', () => {
    const out = JSON.parse(
      cut(
        Array.from({ length: 500 }, (_, at) => ({ id: at, name: `row ${String(at)}` })),
        1000,
      ),
    ) as unknown[];
    expect(out[0]).toEqual({ id: 0, name: 'row 0' });
    expect(out.at(-1)).toMatch(/^…\[cut: 4[0-9]{2} of 500 elements, 13781 bytes\]$/);
  });

  it('white space of what stays is kept', () => {
    const out = bound(`{ "a" : 1 ,\n  "b": "${'x'.repeat(500)}" }`, 200, 500);
    expect(out).toMatch(/^\{ "a" : 1 ,\n {2}"b": "x+…\[cut: 500 bytes\]" \}$/);
  });

  it('deep nesting over the limit becomes a string that shows its beginning', () => {
    const depth = 100_000;
    const { payload } = redactJson(`${'['.repeat(depth)}${']'.repeat(depth)}`);
    expect(payload.state).toBe('cut');
    expect(textOf(payload)).toMatch(/^\[+…\[cut: 200000 bytes\]$/);
  });

  it.each([64, 80, 120])('keys, numbers and white space that are longer than %i bytes', (limit) => {
    for (const json of [
      `{"${'k'.repeat(300)}":1}`,
      `[${'1'.repeat(300)}]`,
      `[${' '.repeat(300)}1]`,
      `"${'\\\\'.repeat(300)}"`,
      `"${'\\"'.repeat(300)}"`,
    ]) {
      const out = bound(json, limit, json.length);
      expect(escapedBytes(out)).toBeLessThanOrEqual(limit);
      expect(() => JSON.parse(out) as unknown).not.toThrow();
      expect(out).toContain('…[cut: ');
    }
  });

  it('a cut leaves no half of an escape of JSON in a string', () => {
    for (let limit = 64; limit < 130; limit++) {
      const out = JSON.parse(bound(JSON.stringify(JSON.stringify(JSON.stringify('"\\'.repeat(60)))), limit, 999)) as string;
      expect(out).not.toMatch(/(?<!\\)\\…/);
    }
  });
});

describe('redaction comes before the cut (case 42)', () => {
  it.each(Array.from({ length: 40 }, (_, at) => at))('a secret %i characters before the cut', (before) => {
    const text = `${'x'.repeat(200 - before)} password=FAKEstraddling1234567890 ${'y'.repeat(400)}`;
    const { payload } = redactFree(text, 256);
    expect(payload.json).not.toContain('FAKE');
    // The mark is there whole, or not at all.
    expect(payload.json.replace(/\[redacted:text\.password:24\]/, '')).not.toContain('[redacted');
  });

  it('a secret behind the cut is learned all the same', () => {
    const { learned } = redactFree(`${'x'.repeat(500)} password=FAKEbehind1`, 100);
    expect(redactFree('say FAKEbehind1', undefined, learned).payload.json).toBe('"say [redacted:known:11]"');
  });

  it('JSON in a string that is cut shows nothing that its structure had hidden', () => {
    for (let limit = 64; limit < 400; limit += 7) {
      const text = JSON.stringify({
        a: JSON.stringify({ name: 'token', value: 'FAKEvalue123', list: ['Cookie', 'FAKEcookie=1'], pad: 'p'.repeat(400) }),
      });
      const { payload } = redactJson(text, limit);
      expect(payload.json).not.toContain('FAKE');
      expect(escapedBytes(payload.json)).toBeLessThanOrEqual(limit);
    }
  });
});
