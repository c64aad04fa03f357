import Database from 'better-sqlite3';
import type { CollectionSpec, Query } from '../port.js';
import { countSql, findSql } from './query-sql.js';
import { tableSql } from './tables.js';

const SPEC: CollectionSpec = {
  name: 'plans',
  indexes: [
    { name: 'by_session', fields: ['workspace', 'session', 'at'] },
    { name: 'by_at', fields: ['at'] },
    { name: 'by_key', fields: ['key'], unique: true },
  ],
};

const SESSION: Query = {
  index: 'by_session',
  where: { workspace: { eq: 'w' }, session: { eq: 's' } },
  order: ['at'],
  direction: 'desc',
  limit: 50,
};

/** What SQLite says that it would do. */
function planOf(sql: { readonly text: string; readonly params: readonly (string | number | bigint | null)[] } | null): string {
  const db = new Database(':memory:');
  db.exec(tableSql(SPEC));
  const rows = db.prepare<unknown[], { detail: string }>(`EXPLAIN QUERY PLAN ${sql?.text ?? ''}`).all(...(sql?.params ?? []));
  db.close();
  return rows.map(({ detail }) => detail).join('; ');
}

const search = (index: string, by: string) => `SEARCH d_plans USING INDEX x_plans$${index} (${by})`;

describe('queries of the SQLite document store', () => {
  it('seek in the named index and never sort', () => {
    expect(planOf(findSql(SPEC, SESSION))).toBe(search('by_session', 'f_workspace=? AND f_session=?'));
    expect(planOf(findSql(SPEC, { ...SESSION, direction: 'asc' }))).toBe(search('by_session', 'f_workspace=? AND f_session=?'));
  });

  it('seek to the place that a page goes on from', () => {
    const after = { values: [5], id: 'x' };
    expect(planOf(findSql(SPEC, { ...SESSION, after }))).toBe(search('by_session', 'f_workspace=? AND f_session=? AND (f_at,id)<(?,?)'));
  });

  it('seek to that place also within a range, and stop at its other end', () => {
    const where = { at: { gt: 1, lte: 9 } };
    const after = { values: [5], id: 'x' };
    const query = { index: 'by_at', where, order: ['at'], limit: 50, after } as const;
    expect(planOf(findSql(SPEC, { ...query, direction: 'asc' }))).toBe(search('by_at', '(f_at,id)>(?,?) AND f_at<?'));
    expect(planOf(findSql(SPEC, { ...query, direction: 'desc' }))).toBe(search('by_at', 'f_at>? AND (f_at,id)<(?,?)'));
  });

  it('fill lists up to a power of two, so that few statements are made', () => {
    const text = (length: number) => {
      const values = Array.from({ length }, (_, n) => n);
      return findSql(SPEC, { ...SESSION, where: { ...SESSION.where, key: { in: values } } })?.text;
    };
    expect(text(5)).toBe(text(8));
    expect(text(4)).not.toBe(text(5));
  });

  it('carry no value in their text', () => {
    const odd = `'"; DROP TABLE d_plans; --`;
    const where = { workspace: { eq: odd }, session: { in: [odd] }, at: { gte: odd }, key: { prefix: odd } };
    const query: Query = { ...SESSION, where, order: ['session', 'at'], after: { values: [odd, odd], id: odd } };
    expect(findSql(SPEC, query)?.text).not.toContain('DROP');
    expect(countSql(SPEC, 'by_at', where)?.text).not.toContain('DROP');
  });

  it('count by the named index alone', () => {
    expect(planOf(countSql(SPEC, 'by_session', SESSION.where))).toBe(
      'SEARCH d_plans USING COVERING INDEX x_plans$by_session (f_workspace=? AND f_session=?)',
    );
  });
});
