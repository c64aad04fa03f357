import fc from 'fast-check';
import { compareFieldValues, meets } from './conditions.js';
import type { Condition, FieldValue } from './port.js';

const value = fc.oneof(fc.constant(null), fc.integer({ min: -3, max: 3 }), fc.constantFrom('', 'a', 'ab', '\ue000', '\u{1f600}'));

describe('conditions over the fields of one document', () => {
  it.each([
    [{ eq: 'x' }, 'x', true],
    [{ eq: 'x' }, 'X', false],
    [{ eq: null }, null, true],
    [{ eq: 1 }, '1', false],
    [{ in: [1, null] }, null, true],
    [{ in: [1, 2] }, 3, false],
    [{ in: [] }, null, false],
    [{ prefix: 'x%' }, 'x%y', true],
    [{ prefix: 'x%' }, 'xxy', false],
    [{ prefix: '' }, 5, false],
    [{ gte: 2, lt: 4 }, 2, true],
    [{ gte: 2, lt: 4 }, 4, false],
    [{ gt: 2 }, 2, false],
    [{ lte: 2 }, 2, true],
    [{ lte: 2 }, null, false],
    [{ lt: 2 }, '', false],
    [{ gte: '' }, 7, false],
    [{ gt: 'a' }, 'b', true],
  ] as const satisfies readonly (readonly [Condition, FieldValue, boolean])[])('%j asked of %j is %s', (condition, of, expected) => {
    expect(meets({ field: of }, { field: condition })).toBe(expected);
  });

  it('must all hold, and ask null of a field that is not there', () => {
    const fields = { a: 1, b: 'x' };
    expect(meets(fields, {})).toBe(true);
    expect(meets(fields, { a: { eq: 1 }, b: { prefix: 'x' } })).toBe(true);
    expect(meets(fields, { a: { eq: 1 }, b: { eq: 'y' } })).toBe(false);
    expect(meets(fields, { c: { eq: null } })).toBe(true);
    expect(meets(fields, { constructor: { eq: null } })).toBe(true);
  });
});

describe('the order of field values', () => {
  it('puts nulls before numbers before texts, and texts in the order of their UTF-8', () => {
    const values: FieldValue[] = ['\u{1f600}', 'b', null, '\uffff', 2, 'ab', '', 'a', -1];
    expect(values.sort(compareFieldValues)).toEqual([null, -1, 2, '', 'a', 'ab', 'b', '\uffff', '\u{1f600}']);
    const utf8 = fc.tuple(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' }));
    fc.assert(
      fc.property(utf8, ([a, b]) => {
        expect(Math.sign(compareFieldValues(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
      }),
    );
  });

  it('is total', () => {
    fc.assert(
      fc.property(value, value, value, (a, b, c) => {
        expect(compareFieldValues(a, b) === 0).toBe(a === b);
        expect(Math.sign(compareFieldValues(a, b)) + Math.sign(compareFieldValues(b, a))).toBe(0);
        if (compareFieldValues(a, b) <= 0 && compareFieldValues(b, c) <= 0) expect(compareFieldValues(a, c)).toBeLessThanOrEqual(0);
      }),
    );
  });
});
