import { StoreUnavailableError } from '../errors.js';
import { exact, LAST, positionOf } from './positions.js';

// stack.md, @eventstore/db-client row 7: typed bigint, some versions deliver a number.
describe('a revision or position at the edge to the client', () => {
  it.each<[unknown, bigint]>([
    [0n, 0n],
    [LAST, LAST],
    [7, 7n],
    [Number.MAX_SAFE_INTEGER, 9007199254740991n],
    ['123', 123n],
  ])('%p is %p', (value, wanted) => {
    expect(exact(value, 'revision')).toBe(wanted);
  });

  it.each<[unknown]>([
    [-1n],
    [LAST + 1n],
    [2 ** 53],
    [1.5],
    [-1],
    [Number.NaN],
    ['-1'],
    ['1e3'],
    [''],
    ['9'.repeat(19)],
    [null],
    [undefined],
    [{}],
  ])('%p is refused, never rounded', (value) => {
    expect(() => exact(value, 'revision')).toThrow(StoreUnavailableError);
  });

  it('is one position, of commit and prepare alike', () => {
    expect(positionOf({ commit: 5n, prepare: 5 })).toBe(5n);
    expect(() => positionOf({ commit: 5n, prepare: 4n })).toThrow(StoreUnavailableError);
    expect(() => positionOf(undefined)).toThrow('a newer server is needed');
  });
});
