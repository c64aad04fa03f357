import fc from 'fast-check';
import { prefixEnd } from './query-rules.js';

const utf8 = (text: string) => Buffer.from(text);
const comesBefore = (a: string, b: string) => Buffer.compare(utf8(a), utf8(b)) < 0;

describe('prefixEnd', () => {
  it('is null where nothing is greater', () => {
    expect(prefixEnd('')).toBeNull();
    expect(prefixEnd('\u{10ffff}\u{10ffff}')).toBeNull();
  });

  it('steps over the surrogates and past the last code point', () => {
    expect(prefixEnd('a')).toBe('b');
    expect(prefixEnd('a\u{10ffff}')).toBe('b');
    expect(prefixEnd('\ud7ff')).toBe('\ue000');
    expect(prefixEnd('\uffff')).toBe('\u{10000}');
    expect(prefixEnd('a\u0000')).toBe('a\u0001');
  });

  it('parts the texts with the prefix from those that come after, in order of UTF-8', () => {
    const text = fc.string({ unit: 'binary', maxLength: 5 });
    fc.assert(
      fc.property(text, text, (prefix, other) => {
        const end = prefixEnd(prefix);
        const isInRange = (candidate: string) => !comesBefore(candidate, prefix) && (end === null || comesBefore(candidate, end));
        expect(isInRange(prefix + other)).toBe(true);
        expect(isInRange(other)).toBe(other.startsWith(prefix));
      }),
      { numRuns: 2000 },
    );
  });
});
