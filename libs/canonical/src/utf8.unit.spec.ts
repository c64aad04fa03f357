import fc from 'fast-check';
import { decodeUtf8, encodeUtf8, isWellFormed } from './utf8.js';

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));

describe('decodeUtf8', () => {
  it.each([
    ['61 c3a9 e282ac f09f9880', 'aé€😀', []],
    ['efbbbf 7b7d', '{}', []],
    ['efbbbf 61 ff', 'a\ufffd', [[1, 2]]],
    ['61 eda080 62', 'a\ud800b', [[1, 2]]],
    ['edb080', '\udc00', [[0, 1]]],
    ['eda0bd edb880', '😀', [[0, 2]]],
    [
      'ff fe 61 c0 80',
      '\ufffd\ufffda\ufffd\ufffd',
      [
        [0, 2],
        [3, 5],
      ],
    ],
    ['e282 61', '\ufffda', [[0, 1]]],
    ['f09f98', '\ufffd', [[0, 1]]],
    ['eda0', '\ufffd\ufffd', [[0, 2]]],
    ['f4908080', '\ufffd\ufffd\ufffd\ufffd', [[0, 4]]],
    ['c3', '\ufffd', [[0, 1]]],
  ])('decodes %s', (hex, text, invalid) => {
    expect(decodeUtf8(bytes(hex))).toEqual({ text, invalid: invalid.map(([start, end]) => ({ start, end })) });
  });

  it('replaces broken bytes as decoders of the web do, where no surrogate is spelled', () => {
    const piece = fc.constantFrom(
      '61',
      'c3a9',
      'e282ac',
      'f09f9880',
      'c3',
      'e2',
      'e282',
      'f0',
      'f09f',
      'f09f98',
      '80',
      'bf',
      'ff',
      'c0',
      'c1',
      'e080',
      'f08080',
      'f48f',
      'f490',
      'f5',
      'ed9f',
      'ee80',
    );
    const anything = fc.uint8Array({ maxLength: 40 }).filter((array) => !array.includes(0xed));
    fc.assert(
      fc.property(
        fc.oneof(
          anything,
          fc.array(piece, { maxLength: 12 }).map((pieces) => bytes(pieces.join(''))),
        ),
        (array) => {
          const { text, invalid } = decodeUtf8(array);
          expect(text).toBe(new TextDecoder().decode(array));
          expect(invalid.every(({ start, end }) => /^\ufffd+$/.test(text.slice(start, end)))).toBe(true);
        },
      ),
      { numRuns: 5_000 },
    );
  });

  it('gives back every text that encodeUtf8 encoded, and lists its lone surrogates', () => {
    const unit = fc.constantFrom('a', 'é', '€', '😀', '\ud800', '\udbff', '\udc00', '\udfff', '\ufffd', '\u0000');
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 12 }), (units) => {
        // A byte-order mark at the start would be dropped, and none is among the units.
        const text = units.join('');
        const decoded = decodeUtf8(encodeUtf8(text));
        expect(decoded.text).toBe(text);
        expect(decoded.invalid.length === 0).toBe(isWellFormed(text));
        expect(decoded.invalid.map(({ start, end }) => text.slice(start, end)).join('')).toBe(
          text.match(/\p{Surrogate}/gu)?.join('') ?? '',
        );
      }),
      { numRuns: 3_000 },
    );
  });

  it('takes megabytes of broken bytes', () => {
    const size = 4_000_000;
    const { text, invalid } = decodeUtf8(new Uint8Array(size).fill(0xff));
    expect(text.length).toBe(size);
    expect(invalid).toEqual([{ start: 0, end: size }]);
  });
});

describe('encodeUtf8', () => {
  it('is UTF-8, and keeps lone surrogates apart from each other and from U+FFFD', () => {
    expect(encodeUtf8('é€😀').toString('hex')).toBe('c3a9e282acf09f9880');
    expect(encodeUtf8('a\ud800b😀\udc01').toString('hex')).toBe('61eda08062f09f9880edb081');
    expect(encodeUtf8('\ufffd').toString('hex')).toBe('efbfbd');
  });
});
