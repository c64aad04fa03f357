import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { canonicalText } from './canonical-text.js';
import { CanonicalError, canonicalize } from './canonicalize.js';

class Money {
  readonly amount = 1;
}

function codeOf(action: () => unknown): unknown {
  try {
    action();
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
  return 'nothing was thrown';
}

function nested(levels: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

describe('canonicalize', () => {
  it('sorts keys by UTF-16 code units at every level, and arrays not at all', () => {
    const value = { b: [{ z: 1, a: 2 }, 3, 1], '10': 1, '9': 2, '\ufffd': 3, '\u{10000}': 4, '': 5 };
    expect(canonicalize(value)).toBe('{"":5,"10":1,"9":2,"b":[{"a":2,"z":1},3,1],"\u{10000}":4,"\ufffd":3}');
  });

  it('takes own __proto__ members, and objects without a prototype', () => {
    const value: unknown = JSON.parse('{"z":1,"__proto__":{"b":1,"a":2}}');
    expect(canonicalize(value)).toBe('{"__proto__":{"a":2,"b":1},"z":1}');
    expect(canonicalize(Object.assign(Object.create(null), { b: 1, a: 2 }))).toBe('{"a":2,"b":1}');
  });

  it('takes plain values of another realm', () => {
    expect(canonicalize(runInNewContext('({b:[1],a:{}})'))).toBe('{"a":{},"b":[1]}');
  });

  it('does not take an inherited member for an own one', () => {
    expect(canonicalize({ toString: 1 })).toBe('{"toString":1}');
    expect(canonicalize({})).toBe('{}');
  });

  it.each([
    ['undefined', undefined],
    ['an undefined member', { a: undefined }],
    ['an undefined element', [undefined]],
    ['a hole', Object.assign([1], { length: 3 })],
    ['a function', { a: () => 1 }],
    ['a method toJSON', { toJSON: () => 1 }],
    ['a bigint', [1n]],
    ['a symbol', [Symbol('x')]],
    ['a symbol as a key', { [Symbol('x')]: 1 }],
    ['NaN', [Number.NaN]],
    ['Infinity', { a: -Infinity }],
    ['a lone surrogate', ['a\ud800']],
    ['a lone surrogate in a key', { '\udc00': 1 }],
    ['a Date', new Date(0)],
    ['a Map', new Map()],
    ['a Set', { a: new Set() }],
    ['bytes', new Uint8Array(1)],
    ['an instance of a class', new Money()],
    ['a boxed string', Object('x')],
    ['513 levels', nested(513)],
  ])('refuses %s', (_name, value) => {
    expect(() => canonicalize(value)).toThrow(CanonicalError);
  });

  it('refuses a circle, and takes 512 levels', () => {
    const circle: Record<string, unknown> = {};
    circle.a = [circle, circle];
    expect(codeOf(() => canonicalize(circle))).toBe('not_canonical');
    expect(canonicalize(nested(512))).toContain('[1]');
  });

  it('quotes nothing in its message', () => {
    expect(() => canonicalize({ a: 'FAKEsecret\ud800' })).toThrow(/^(?!.*FAKE)/);
  });
});

describe('canonicalText', () => {
  it('refuses what JSON.parse would take silently', () => {
    for (const text of ['{"a":1,"a":2}', '"\\ud800"', '1e400', '9007199254740993'])
      expect(() => canonicalText(text)).toThrow(CanonicalError);
    expect(codeOf(() => canonicalText('{'))).toBe('not_json');
    expect(canonicalText('"\\u0000"')).toBe('"\\u0000"');
  });
});

describe('canonical form: properties', () => {
  // Integers above 2^53 are written with the shortest digits, which is another integer: those are left to the vectors.
  const number = fc.oneof(
    fc.maxSafeInteger(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).filter((value) => !/^-?[0-9]{16,21}$/.test(String(value))),
  );
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: 'binary' }).map((string) => string.replace(/\p{Surrogate}/gu, '')),
    fc.constantFrom('__proto__', '10', '9', 'é', 'e\u0301', '\ufffd', '\u{10000}'),
  );
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      number,
      text,
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      tie('object'),
    ),
    object: fc.dictionary(text, tie('value'), { maxKeys: 6 }),
  })).value;

  it('is JSON of the same value, and its own canonical form', () => {
    fc.assert(
      fc.property(json, (value) => {
        const canonical = canonicalize(value);
        expect(canonicalText(canonical)).toBe(canonical);
        expect(canonicalize(JSON.parse(canonical))).toBe(canonical);
        expect(canonical).toBe(reference(value));
      }),
      { numRuns: 3_000 },
    );
  });

  it('is the same from the text as from the value, however it is spelled', () => {
    fc.assert(
      fc.property(json, fc.constantFrom('', ' ', '\t', '\r\n'), (value, space) => {
        const spelled = JSON.stringify(value, undefined, space).replace(/"(?:[^"\\]|\\.)*"/g, (token) =>
          token.includes('\\') ? token : token.replaceAll('a', '\\u0061'),
        );
        expect(canonicalText(spelled)).toBe(canonicalize(JSON.parse(spelled)));
        expect(canonicalText(spelled)).toBe(canonicalize(value));
      }),
      { numRuns: 3_000 },
    );
  });

  it('does not depend on the order in which keys came', () => {
    const entries = fc.uniqueArray(fc.tuple(text, json), { selector: ([key]) => key, minLength: 1, maxLength: 8 });
    const shuffled = entries.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length })),
    );
    const spell = (list: readonly (readonly [string, unknown])[]): string =>
      `{${list.map(([key, value]) => `${JSON.stringify(key)}:${JSON.stringify(value)}`).join(',')}}`;
    fc.assert(
      fc.property(shuffled, ([list, other]) => {
        expect(canonicalText(spell(list))).toBe(canonicalText(spell(other)));
      }),
      { numRuns: 2_000 },
    );
  });
});

/** The plainest way to write it down, to compare with. */
function reference(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(reference).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([left], [right]) => Buffer.compare(utf16(left), utf16(right)));
  return `{${entries.map(([key, member]) => `${JSON.stringify(key)}:${reference(member)}`).join(',')}}`;
}

function utf16(text: string): Buffer {
  return Buffer.from(text, 'utf16le').swap16();
}
