import fc from 'fast-check';
import { globOf } from './glob.js';

/** The same by the platform's expressions, in which everything but a star is escaped. */
const reference = (pattern: string, text: string): boolean =>
  new RegExp(
    `^${pattern
      .split('*')
      .map((part) => part.replace(/[^*]/gs, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`))
      .join('[^]*')}$`,
  ).test(text);

describe('a glob', () => {
  it.each([
    ['*', '', true],
    ['*', 'anything', true],
    ['', '', true],
    ['', 'a', false],
    ['a', 'a', true],
    ['a', 'A', false],
    ['mcp:*', 'mcp:', true],
    ['mcp:*', 'mcp', false],
    ['*:fs', 'mcp:fs', true],
    ['a*a', 'a', false],
    ['a*a', 'aa', true],
    ['a*b*c', 'abbc', true],
    ['a*bc*c', 'abc', false],
    ['**', 'x', true],
    ['a.c', 'abc', false],
    ['a?c', 'abc', false],
    ['[ab]', 'a', false],
    ['a*', 'a\nb', true],
    ['💚*', '💚💚', true],
    ['*', '\u0000', true],
  ])('%j on %j is %j', (pattern, text, expected) => {
    expect(globOf(pattern)(text)).toBe(expected);
  });

  it('matches what its parts say, in their order', () => {
    const piece = fc.string({ unit: fc.constantFrom('a', 'b', '*', '.', '\\'), maxLength: 8 });
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '.', '\\', '\n'), maxLength: 10 });
    fc.assert(
      fc.property(piece, text, (pattern, each) => {
        expect(globOf(pattern)(each)).toBe(reference(pattern, each));
      }),
      { numRuns: 5_000 },
    );
  });
});
