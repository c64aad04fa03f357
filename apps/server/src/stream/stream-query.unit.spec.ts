import { DomainError } from '@counterfoil/contracts';
import { startOf, StreamQuery } from './stream-query.js';

const ledger = {
  store: { head: () => Promise.resolve(20n) },
  parseToken: (token: string) => {
    if (!/^e1\.[0-9]+$/.test(token)) throw new DomainError('invalid_position', 'no');
    return BigInt(token.slice(3));
  },
};

describe('where a stream begins', () => {
  it.each([
    ['at the head without a position', undefined, undefined, 20n],
    ['after `from`', undefined, 'e1.3', 3n],
    ['after Last-Event-ID', 'e1.4', undefined, 4n],
    ['after Last-Event-ID where both are given: it is newer', 'e1.4', 'e1.3', 4n],
    ['as without it where Last-Event-ID is empty', '', 'e1.3', 3n],
    ['at the head, also by name', 'e1.20', undefined, 20n],
    ['at the very beginning', undefined, 'e1.0', 0n],
  ])('%s', async (_what, header, from, expected) => {
    expect(await startOf(ledger, header, from)).toBe(expected);
  });

  it.each(['e1.21', 'nonsense', 'e1.3, e1.4'])('%s is refused', async (token) => {
    await expect(startOf(ledger, token, undefined)).rejects.toMatchObject({ code: 'invalid_position' });
  });
});

describe('the query string', () => {
  it.each([
    ['receipt', ['receipt']],
    ['task,approval', ['task', 'approval']],
    ['task,task', ['task']],
  ])('types=%s', (types, expected) => {
    expect([...(StreamQuery.parse({ types }).types ?? [])]).toEqual(expected);
  });

  it.each([{ types: '' }, { types: 'receipts' }, { types: 'task,' }, { types: ['task', 'task'] }, { session: 'a/b' }, { other: '1' }])(
    '%j does not fit',
    (query) => {
      expect(StreamQuery.safeParse(query).success).toBe(false);
    },
  );
});
