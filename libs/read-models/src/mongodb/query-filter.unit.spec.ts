import { QueryNotServedError } from '../errors.js';
import type { CollectionSpec, Query } from '../port.js';
import { toText } from './field-values.js';
import { countPlan, findPlan } from './query-filter.js';

const SPEC: CollectionSpec = {
  name: 'plans',
  indexes: [
    { name: 'by_session', fields: ['workspace', 'session', 'at'] },
    { name: 'by_at', fields: ['at', 'key'] },
    { name: 'by_id', fields: [] },
  ],
};

const SESSION: Query = {
  index: 'by_session',
  where: { workspace: { eq: 'w' }, session: { eq: 's' } },
  order: ['at'],
  direction: 'desc',
  limit: 50,
};
const fixed = { f_workspace: { $eq: '2w' }, f_session: { $eq: '2s' } };
const at = (n: number): string => toText(n);

describe('filters of the MongoDB document store', () => {
  it('name the index, and sort by what it holds after what is held fixed', () => {
    expect(findPlan(SPEC, SESSION)).toEqual({ filter: fixed, sort: { f_at: -1, _id: -1 }, hint: 'by_session' });
  });

  it('go on from a place by one range of the index for each field that may differ', () => {
    const plan = findPlan(SPEC, { ...SESSION, after: { values: [5], id: 'x' } });
    expect(plan?.filter).toEqual({
      $or: [
        { ...fixed, f_at: { $eq: at(5) }, _id: { $lt: 'x' } },
        { ...fixed, f_at: { $lt: at(5) } },
      ],
    });
  });

  it('go on within a range without leaving it', () => {
    const where = { at: { gte: 1, lt: 9 } };
    const plan = (values: readonly [number, string], direction: 'asc' | 'desc') =>
      findPlan(SPEC, { index: 'by_at', where, order: ['at', 'key'], direction, limit: 5, after: { values, id: 'x' } })?.filter;
    const range = { $gte: at(1), $lt: at(9) };
    expect(plan([5, 'k'], 'asc')).toEqual({
      $or: [
        { f_at: { ...range, $eq: at(5) }, f_key: { $eq: '2k' }, _id: { $gt: 'x' } },
        { f_at: { ...range, $eq: at(5) }, f_key: { $gt: '2k' } },
        { f_at: { ...range, $gt: at(5) } },
      ],
    });
    // From beyond the range's end its own bound is the narrower one.
    expect(plan([50, 'k'], 'desc')).toMatchObject({ $or: [{}, {}, { f_at: { $gte: at(1), $lt: at(9) } }] });
    expect(plan([5, 'k'], 'desc')).toMatchObject({ $or: [{}, {}, { f_at: { $gte: at(1), $lt: at(5) } }] });
  });

  it('by id alone need no branch', () => {
    const query: Query = { index: 'by_id', where: {}, order: [], direction: 'asc', limit: 5 };
    expect(findPlan(SPEC, { ...query, after: { values: [], id: 'x' } })?.filter).toEqual({ live: { $eq: '1' }, _id: { $gt: 'x' } });
  });

  it('keep tombstones out by the first field of the index, whatever else is asked', () => {
    const query: Query = { index: 'by_at', where: { session: { eq: 's' } }, order: ['at', 'key'], direction: 'asc', limit: 5 };
    expect(findPlan(SPEC, query)?.filter).toEqual({ f_at: { $lt: '3' }, f_session: { $eq: '2s' } });
    expect(countPlan(SPEC, 'by_at', {})).toEqual({ filter: { f_at: { $lt: '3' } }, hint: 'by_at' });
  });

  it('are none where a list of no values is asked for', () => {
    expect(findPlan(SPEC, { ...SESSION, where: { ...SESSION.where, session: { in: [] } }, order: ['session', 'at'] })).toBeNull();
    expect(countPlan(SPEC, 'by_at', { session: { in: [] } })).toBeNull();
  });

  it('take user text for values only', () => {
    const odd = '$where';
    const where = { workspace: { eq: odd }, session: { in: [odd, odd] }, at: { gte: odd }, key: { prefix: odd } };
    const query: Query = { ...SESSION, where, order: ['session', 'at'], after: { values: [odd, odd], id: odd } };
    const keys = new Set<string>();
    const visit = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return;
      for (const [key, child] of Object.entries(node)) {
        if (!Array.isArray(node)) keys.add(key);
        visit(child);
      }
    };
    visit(findPlan(SPEC, query)?.filter);
    expect([...keys].filter((key) => key.startsWith('$')).sort()).toEqual(['$eq', '$gte', '$in', '$lt', '$or']);
  });

  it('are refused for an index that is not there, or does not give the order', () => {
    expect(() => findPlan(SPEC, { ...SESSION, index: 'nowhere' })).toThrow(QueryNotServedError);
    expect(() => findPlan(SPEC, { ...SESSION, index: 'by_at' })).toThrow(QueryNotServedError);
    expect(() => countPlan(SPEC, 'nowhere', {})).toThrow(QueryNotServedError);
  });
});
