import { sortableTime } from './recorded-time.js';

describe('a recorded time to sort by', () => {
  it('sorts as time does, whatever the length of its fraction', () => {
    const inOrder = [
      '2026-08-19T23:59:59.999999999Z',
      '2026-08-20T09:15:00Z',
      '2026-08-20T09:15:00.000001Z',
      '2026-08-20T09:15:00.1Z',
      '2026-08-20T09:15:00.123456Z',
      '2026-08-20T09:15:01Z',
    ];
    const keys = inOrder.map((time) => sortableTime(time) ?? '');
    expect(keys.toSorted()).toEqual(keys);
    expect(new Set(keys).size).toBe(inOrder.length);
  });

  it('is one text for two spellings of one instant', () => {
    expect(sortableTime('2026-08-20T09:15:00.5Z')).toBe(sortableTime('2026-08-20T09:15:00.500000Z'));
    expect(sortableTime('2026-08-20T09:15:00Z')).toBe('2026-08-20T09:15:00.000000000Z');
  });

  it.each([null, '', 'yesterday', '2026-08-20', '2026-08-20T09:15:00.Z', '2026-08-20T09:15:00.1234567890Z', '2026-08-20T09:15:00+02:00'])(
    'is none for %j',
    (time) => {
      expect(sortableTime(time)).toBeNull();
    },
  );
});
