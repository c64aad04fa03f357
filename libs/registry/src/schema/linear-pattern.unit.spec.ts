import fc from 'fast-check';
import { LinearPattern, LONGEST_PATTERN, PatternError } from './linear-pattern.js';

/** A pattern with what it cost so far. */
function counting(source: string): { readonly pattern: LinearPattern; readonly work: () => number } {
  let sum = 0;
  const pattern = new LinearPattern(source, { spend: (work) => (sum += work) });
  return { pattern, work: () => sum };
}

const matches = (source: string, text: string): boolean => counting(source).pattern.test(text);
const native = (source: string, text: string): boolean => new RegExp(source, 'u').test(text);

const TEXTS: readonly string[] = [
  '',
  'a',
  'ab',
  'abcbcd',
  '2027-01-01',
  'a word here',
  'some-slug-1',
  'some--slug',
  '\u{1F600}',
  'Ärger',
  '\n',
  '+1 (234)',
  '/path/.',
];

describe('a linear pattern', () => {
  it.each([
    '^[a-z0-9]+(?:-[a-z0-9]+)*$',
    '^\\d{4}-\\d{2}-\\d{2}$',
    '^(?:\\+?1)?[ .-]?\\(?[2-9]\\d{2}\\)?$',
    'a|b|',
    '^(?:a|ab)(?:c|bcd)$',
    '^(?<year>\\d+)-',
    '\\bword\\b',
    '^$',
    '',
    '^[\\w-]+$',
    '^.$',
    '^\\u{1F600}$',
    '^\\p{Lu}\\p{Ll}*$',
    '^[\\p{L}\\p{N}_]+$',
    '(?:a*)*b',
    '\\/path\\/\\.',
  ])('%s matches what the platform says', (source) => {
    for (const text of TEXTS) expect([text, matches(source, text)]).toEqual([text, native(source, text)]);
  });

  it.each([
    ['a reference to a group', '(a)\\1'],
    ['a look ahead', 'a(?=b)'],
    ['a look behind for what is not there', '(?<!a)b'],
    ['a group that does not end', '(a'],
    ['a repetition of a repetition', 'a**'],
    ['a range out of order', '[b-a]'],
    ['an escape of another dialect', 'a\\Z'],
    ['an unknown property', '\\p{Nonsense}'],
    ['a count over the limit', 'a{5001}'],
    ['counts that multiply', '(?:(?:a{99}){99}){99}'],
    ['a pattern over the limit', 'a'.repeat(LONGEST_PATTERN + 1)],
  ])('refuses %s, without quoting it', (_what, source) => {
    expect(() => counting(source)).toThrow(PatternError);
    expect(() => counting(`FAKE${source}`)).toThrow(/^(?!.*FAKE)/);
  });

  it.each([
    ['nested repetitions', '^(?:\\w+\\s?)*$', `${'a'.repeat(200_000)}!`],
    ['a repetition of overlapping options', '^(?:a|a|aa)+$', `${'a'.repeat(200_000)}b`],
    ['repetitions one after the other', '\\S+@\\S+\\.\\S+', 'a@'.repeat(100_000)],
    ['blanks before an end', '\\s+$', `${' '.repeat(200_000)}x`],
  ])('ends, where the platform would go back and try again: %s', (_what, source, text) => {
    const { pattern, work } = counting(source);
    expect(pattern.test(text)).toBe(false);
    expect(work()).toBeLessThan(text.length * 10);
  });

  it('is told apart from others by its text, as Ajv does', () => {
    expect(String(counting('^a').pattern)).not.toBe(String(counting('a').pattern));
  });

  it('is ended by its meter, before it begins', () => {
    const pattern = new LinearPattern('^a*$', {
      spend: () => {
        throw new RangeError('enough');
      },
    });
    expect(() => pattern.test('aaa')).toThrow('enough');
  });

  it('matches what the platform matches (property)', () => {
    const atom = fc.constantFrom('a', 'b', '[ab]', '[^a]', '\\w', '\\d', '^', '$', '(?:)', '-');
    const source = fc.letrec<{ node: string }>((tie) => ({
      node: fc.oneof(
        { depthSize: 'small', withCrossShrink: true },
        atom,
        fc.tuple(tie('node'), tie('node')).map(([left, right]) => left + right),
        fc.tuple(tie('node'), tie('node')).map(([left, right]) => `(?:${left}|${right})`),
        fc.tuple(tie('node'), fc.constantFrom('*', '+', '?', '{2}', '{0,2}', '*?')).map(([inner, times]) => `(?:${inner})${times}`),
      ),
    })).node;
    const text = fc.string({ unit: fc.constantFrom('a', 'b', ' ', '-', '1', '\u{1F600}'), maxLength: 12 });
    fc.assert(
      fc.property(source, fc.array(text, { minLength: 1, maxLength: 6 }), (pattern, texts) => {
        const ours = counting(pattern).pattern;
        for (const each of texts) expect([pattern, each, ours.test(each)]).toEqual([pattern, each, native(pattern, each)]);
      }),
      { numRuns: 1_000 },
    );
  });
});
