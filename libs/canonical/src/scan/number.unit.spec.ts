import fc from 'fast-check';
import { numberAnomaly } from './number.js';

const anomaly = (literal: string) => numberAnomaly(literal, 0, literal.length);

describe('numberAnomaly', () => {
  it.each([
    '0',
    '-0',
    '0.0',
    '0e999999999999',
    '1',
    '1.0',
    '-1.50',
    '0.1',
    '1e0',
    '100e-2',
    '9007199254740992',
    '9007199254740994',
    '-9007199254740992',
    '90071992547409920e-1',
    '1e21',
    '1000000000000000000000',
    '1e22',
    '1E22',
    '1e23',
    '1E+23',
    '1.0e23',
    '10e22',
    '0.1e24',
    '1E30',
    '1.5e300',
    '1.7976931348623157e308',
    '17976931348623157e292',
    '5e-324',
    '3e-324',
    '4.9406564584124654e-324',
    '2.2250738585072014e-308',
    '99999999999999991611392',
    '1152921504606846976',
    '18446744073709551616',
    '1.152921504606847e18',
    '333333333.33333329',
    '9007199254740992.5',
    '1e-300',
  ])('%s is fine', (literal) => {
    expect(anomaly(literal)).toBeNull();
  });

  it.each([
    '9007199254740993',
    '-9007199254740993',
    '9007199254740993.0',
    '9007199254740993.000',
    '90071992547409930e-1',
    '9007199254740993e0',
    '9.007199254740993e15',
    '9223372036854775807',
    '18446744073709551615',
    '100000000000000000000000',
    '1152921504606847000',
    '1.0000000000000001e30',
    '1.00000000000000001e30',
    '12345678901234567890e0',
    '1' + '0'.repeat(23),
    '1' + '0'.repeat(308),
  ])('%s is an integer that its double does not equal', (literal) => {
    expect(anomaly(literal)).toBe('integer_inexact');
  });

  it.each([
    '1e309',
    '-1e309',
    '1e400',
    '1.7976931348623159e308',
    '1' + '0'.repeat(309),
    '0.1e310',
    '1e99999999999999999999',
    '1e+0000000309',
  ])('%s overflows', (literal) => {
    expect(anomaly(literal)).toBe('number_overflow');
  });

  it.each(['1e-400', '2e-324', '-1e-325', '0.0001e-321', '1e-99999999999', `0.${'0'.repeat(330)}1`])('%s underflows', (literal) => {
    expect(anomaly(literal)).toBe('number_underflow');
  });

  it('reads only its span', () => {
    expect(numberAnomaly('[9007199254740993,1e5]', 1, 17)).toBe('integer_inexact');
    expect(numberAnomaly('1.5e400', 0, 3)).toBeNull();
  });

  it('takes literals of millions of characters', () => {
    const zeros = '0'.repeat(5_000_000);
    expect(anomaly(`1${zeros}`)).toBe('number_overflow');
    expect(anomaly(`1${zeros}e-5000000`)).toBeNull();
    expect(anomaly(`9007199254740993.${zeros}`)).toBe('integer_inexact');
    expect(anomaly(`0.${zeros}9007199254740993e5000016`)).toBe('integer_inexact');
    expect(anomaly(`0.${zeros}1e5000001`)).toBeNull();
    expect(anomaly(`1e-${zeros}1`)).toBeNull();
    expect(anomaly(`1e${'9'.repeat(5_000_000)}`)).toBe('number_overflow');
  });

  it('agrees with exact arithmetic on integers, in plain and in scientific spelling', () => {
    const anyInteger = fc.oneof(
      fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }),
      fc.bigInt(),
      fc.double({ noNaN: true, noDefaultInfinity: true, noInteger: false }).filter(Number.isInteger).map(BigInt),
    );
    fc.assert(
      fc.property(anyInteger, fc.nat(5), (integer, zeros) => {
        const exact = BigInt(Number(integer)) === integer;
        expect(anomaly(integer.toString())).toBe(exact ? null : 'integer_inexact');
        expect(anomaly(`${integer}.${'0'.repeat(zeros + 1)}`)).toBe(exact ? null : 'integer_inexact');
        if (exact) expect(anomaly(`${integer}${'0'.repeat(zeros)}e-${zeros}`)).toBeNull();
      }),
      { numRuns: 2_000 },
    );
  });

  it('takes every double as programs print it with an exponent', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(anomaly(value.toExponential())).toBeNull();
        expect(anomaly(value.toExponential().toUpperCase())).toBeNull();
        if (Number.isInteger(value) && Math.abs(value) > Number.MAX_SAFE_INTEGER) expect(anomaly(BigInt(value).toString())).toBeNull();
        else expect(anomaly(JSON.stringify(value))).toBeNull();
      }),
      { numRuns: 3_000 },
    );
  });
});
