import fc from 'fast-check';
import { Weights } from './weights.js';

/** The plainest way to say it. */
function reference(value: unknown): number {
  if (typeof value === 'string') return 1 + Math.floor(value.length / 8);
  if (typeof value !== 'object' || value === null) return 1;
  const names = Array.isArray(value) ? 0 : Object.keys(value).reduce((sum, name) => sum + reference(name), 0);
  return Object.values(value).reduce((sum: number, each) => sum + reference(each), 1 + names);
}

describe('weights', () => {
  it('count values, names and text, of the whole and of each part', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const weights = new Weights(value);
        expect(weights.total).toBe(reference(value));
        const todo: unknown[] = [value];
        for (const each of todo) {
          const isSmall = typeof each === 'object' && each !== null && reference(each) < 8;
          expect(weights.of(each)).toBe(isSmall ? 8 : reference(each));
          if (typeof each === 'object' && each !== null) todo.push(...(Object.values(each) as unknown[]));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('of values as deep as they come', () => {
    const deep = JSON.parse('['.repeat(5_000) + ']'.repeat(5_000)) as unknown;
    expect(new Weights(deep).total).toBe(5_000);
    expect(new Weights(deep).of(deep)).toBe(5_000);
  });
});
