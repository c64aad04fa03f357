import fc from 'fast-check';
import type { FieldValue } from '../port.js';
import { rangeOfType, TOMBSTONE, toText } from './field-values.js';

const number = () => fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer());
const text = () => fc.string({ unit: 'binary' });
const value = (): fc.Arbitrary<FieldValue> => fc.oneof(fc.constant(null), number(), text());

const kind = (field: FieldValue): number => ['object', 'number', 'string'].indexOf(typeof field);

/** Nulls before numbers before texts; texts by code points, which is the order of their UTF-8. */
function compareValues(a: FieldValue, b: FieldValue): number {
  if (kind(a) !== kind(b)) return kind(a) - kind(b);
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  return Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)));
}

describe('index values as text', () => {
  it('sort as the values do, and are equal only where those are', () => {
    fc.assert(
      fc.property(value(), value(), (a, b) => {
        const order = Buffer.compare(Buffer.from(toText(a)), Buffer.from(toText(b)));
        expect(order).toBe(Math.sign(compareValues(a, b)));
      }),
      { numRuns: 2000 },
    );
  });

  it('of numbers that are next to each other differ', () => {
    const rising = [
      -Number.MAX_VALUE,
      -1,
      -Number.MIN_VALUE,
      0,
      Number.MIN_VALUE,
      1 - Number.EPSILON / 2,
      1,
      1 + Number.EPSILON,
      Number.MAX_VALUE,
    ];
    const texts = rising.map(toText);
    expect([...texts].sort()).toEqual(texts);
    expect(new Set(texts).size).toBe(texts.length);
    expect(toText(-0)).toBe(toText(0));
  });

  it('lie within the range of their type, before every tombstone', () => {
    fc.assert(
      fc.property(fc.oneof(number(), text()), (field) => {
        const [first, end] = rangeOfType(typeof field === 'number' ? 'number' : 'string');
        const stored = toText(field);
        expect(stored >= first && stored < end && stored < TOMBSTONE).toBe(true);
      }),
    );
    expect(toText(null) < rangeOfType('number')[0]).toBe(true);
  });
});
