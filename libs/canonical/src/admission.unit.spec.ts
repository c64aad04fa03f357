import fc from 'fast-check';
import type { Admission } from './admission.js';
import { admitArguments } from './admission.js';
import type { AnomalyKind } from './scan/visitor.js';

const codeOf = (text: string, inherited?: readonly AnomalyKind[]): string => {
  const admission = admitArguments(text, inherited);
  return admission.ok ? 'ok' : admission.code;
};

const refused = (text: string, inherited?: readonly AnomalyKind[]): Extract<Admission, { ok: false }> => {
  const admission = admitArguments(text, inherited);
  if (admission.ok) throw new Error('the arguments were admitted');
  return admission;
};

// What is admitted and what is refused stands in docs/vectors/admission.json, and vectors.int.spec.ts walks it.
describe('admitArguments', () => {
  it('gives the canonical form and keeps the text', () => {
    const text = ' {"b":1.0,"a":"\\u0041"}';
    expect(admitArguments(text)).toEqual({ ok: true, text, canonical: '{"a":"A","b":1}' });
  });

  it('says what the matter is and where, and quotes nothing', () => {
    const admission = refused('{"FAKEsecret":1,"FAKEsecret":2}');
    expect(admission).toMatchObject({
      code: 'arguments_duplicate_key',
      anomalies: ['duplicate_key'],
      detail: 'a key that its object has already at offset 16',
    });
    expect(admission.detail).not.toContain('FAKE');
  });

  it('names the first of several, lists each kind once, and calls what is no JSON by that name before all', () => {
    expect(refused('["\\ud800",1e400,"\\udc00","\\u0000"]')).toMatchObject({
      code: 'arguments_lone_surrogate',
      anomalies: ['lone_surrogate', 'number_overflow', 'nul'],
    });
    expect(refused('[1e400,NaN,Infinity]')).toMatchObject({
      code: 'arguments_not_json',
      anomalies: ['number_overflow', 'not_a_number', 'infinity'],
      detail: 'NaN at offset 7',
    });
    expect(refused('[1e400,')).toMatchObject({ code: 'arguments_not_json', anomalies: ['number_overflow', 'not_json'] });
  });

  it('heeds what the reader of the body found', () => {
    expect(codeOf('{}', ['nul'])).toBe('ok');
    expect(refused('{"a":"\ufffd"}', ['invalid_utf8'])).toMatchObject({ code: 'arguments_not_json', anomalies: ['invalid_utf8'] });
    expect(codeOf('{"a":"\ud800"}', ['lone_surrogate', 'invalid_utf8'])).toBe('arguments_not_json');
    expect(codeOf('{"a":"\ud800"}', ['lone_surrogate'])).toBe('arguments_lone_surrogate');
  });

  it('takes texts of any depth and size without harm', () => {
    expect(codeOf('['.repeat(1_000_000) + ']'.repeat(1_000_000))).toBe('arguments_too_deep');
    expect(codeOf('['.repeat(1_000_000))).toBe('arguments_not_json');
    expect(codeOf('9'.repeat(4_000_000))).toBe('arguments_number_out_of_range');
    expect(codeOf(`{"a":"${'x'.repeat(4_000_000)}"}`)).toBe('ok');
    expect(codeOf(`{"a":"${'x'.repeat(5_000_000)}"}`)).toBe('arguments_too_large');
  });
});

describe('admitArguments: properties', () => {
  const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
  // As JSON.stringify prints it, an integer above 2^53 may be another integer than the double (see docs/canonical.md).
  const printedExactly = finite.filter(
    (value) => !/^-?[0-9]{16,21}$/.test(JSON.stringify(value)) || BigInt(JSON.stringify(value)) === BigInt(value),
  );
  const wellFormed = fc.string({ unit: 'binary' }).map((text) => text.replace(/\p{Surrogate}/gu, '?'));
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.boolean(),
      fc.constant(null),
      printedExactly,
      fc.integer(),
      wellFormed,
      tie('array'),
      tie('object'),
    ),
    array: fc.array(tie('value'), { maxLength: 5 }),
    object: fc.dictionary(fc.oneof(wellFormed, fc.constantFrom('__proto__', 'constructor', '0', '10', '9')), tie('value'), { maxKeys: 6 }),
  })).value;

  it('admits whatever JSON.stringify prints of values that JSON can hold', () => {
    fc.assert(
      fc.property(json, (value) => {
        const admission = admitArguments(JSON.stringify(value));
        expect(admission).toMatchObject({ ok: true });
        // -0 and 0 are one value in JSON, and toEqual tells them apart.
        if (admission.ok)
          expect(JSON.stringify(JSON.parse(admission.canonical, sortedKeys))).toBe(
            JSON.stringify(JSON.parse(JSON.stringify(value), sortedKeys)),
          );
      }),
      { numRuns: 3_000 },
    );
  });

  it('never gives one canonical form to two integers', () => {
    const near = fc
      .tuple(fc.integer({ min: 50, max: 69 }), fc.bigInt({ min: -3000n, max: 3000n }))
      .map(([power, offset]) => 2n ** BigInt(power) + offset);
    fc.assert(
      fc.property(near, fc.bigInt({ min: -5000n, max: 5000n }), fc.nat(3), (left, offset, zeros) => {
        const right = left + offset;
        const [one, other] = [
          admitArguments(left.toString()),
          admitArguments(zeros > 0 ? `${right}.${'0'.repeat(zeros)}` : right.toString()),
        ];
        return !one.ok || !other.ok || (one.canonical === other.canonical) === (left === right);
      }),
      { numRuns: 20_000 },
    );
    expect(codeOf((2n ** 60n).toString())).toBe('ok');
    expect(codeOf(JSON.stringify(2 ** 60))).toBe('arguments_integer_not_exact');
  });
});

function sortedKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}
