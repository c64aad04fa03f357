import { ReceiptFilters, ReceiptListQuery, splitReceiptQuery } from './filters.js';

describe('the filters of receipts', () => {
  it('take every filter of the route', () => {
    const query = {
      session: 's1',
      root: 's0',
      turn: 'turn 7',
      task: 't1',
      tool: 'write_file',
      toolSource: 'mcp:fs',
      status: 'failed,denied,failed',
      verification: 'failed',
      class: 'destructive',
      operation: 'k1:abc',
      from: '2027-01-01T00:00:00Z',
      to: '2027-01-01T02:00:00.5+01:00',
      provenance: 'live',
    };
    expect(ReceiptFilters.parse(query)).toEqual({
      ...query,
      status: ['failed', 'denied'],
      from: Date.UTC(2027, 0, 1),
      to: Date.UTC(2027, 0, 1, 1, 0, 0, 500),
    });
    expect(ReceiptFilters.parse({})).toEqual({});
  });

  it.each([
    { unknown: 'x' },
    { session: '' },
    { session: 'a/b' },
    { root: 'a b' },
    { session: ['a', 'b'] },
    { turn: '\ud800' },
    { status: '' },
    { status: 'failed,' },
    { status: 'done' },
    { status: 'failed denied' },
    { verification: 'ok' },
    { class: 'mutation' },
    { from: 'yesterday' },
    { from: '2027-01-01' },
    { provenance: 'recorded' },
    { toolSource: 'mcp:fs' },
    { operation: 'x'.repeat(513) },
  ])('refuse %j', (query) => {
    expect(ReceiptFilters.safeParse(query).success).toBe(false);
  });

  it('come with a page, of 50 unless told', () => {
    expect(splitReceiptQuery(ReceiptListQuery.parse({ tool: 'x' }))).toEqual({
      filters: { tool: 'x' },
      page: { limit: 50, cursor: undefined },
    });
    expect(splitReceiptQuery(ReceiptListQuery.parse({ limit: '200', cursor: 'abc' }))).toEqual({
      filters: {},
      page: { limit: 200, cursor: 'abc' },
    });
  });

  it.each(['0', '201', '1000', '-1', '1.5', '5x', '', '1e2', ' 5'])('refuse a limit of %j', (limit) => {
    expect(ReceiptListQuery.safeParse({ limit }).success).toBe(false);
  });
});
