import { readTime } from './time.js';

const utc = (text: string): string | undefined => readTime(text)?.utc;

describe('readTime', () => {
  it('keeps the fraction as stored and says Z', () => {
    expect(utc('2026-11-30T13:23:40.917135+00:00')).toBe('2026-11-30T13:23:40.917135Z');
    expect(utc('2026-11-30T13:23:40.100+00:00')).toBe('2026-11-30T13:23:40.100Z');
    expect(utc('2026-11-30T13:23:40Z')).toBe('2026-11-30T13:23:40Z');
  });

  it('moves other zones to UTC, over midnight and over a leap day', () => {
    expect(utc('2026-01-01T01:30:00.5+02:00')).toBe('2025-12-31T23:30:00.5Z');
    expect(utc('2024-02-28T23:00:00-0130')).toBe('2024-02-29T00:30:00Z');
  });

  it('reads a time with no zone as UTC and says so', () => {
    expect(readTime('2026-08-20T09:15:00')).toEqual({ utc: '2026-08-20T09:15:00Z', assumedUtc: true });
    expect(readTime('2026-08-20 09:15')).toEqual({ utc: '2026-08-20T09:15:00Z', assumedUtc: true });
    expect(readTime('2026-08-20T09:15:00Z')?.assumedUtc).toBe(false);
  });

  it.each([
    '',
    'yesterday',
    '2026-13-01T00:00:00Z',
    '2026-02-29T00:00:00Z',
    '2026-01-01T24:00:00Z',
    '2026-01-01T00:60:00Z',
    '2016-12-31T23:59:60Z',
    '2026-01-01T00:00:00+24:00',
    '2026-01-01T00:00:00+01:60',
    '2026-01-01T00:00:00.Z',
    '2026-01-01T00:00:00,5Z',
    '2026-01-01',
    '1767225600',
    '0000-01-01T00:00:00+01:00',
    '9999-12-31T23:59:59-00:01',
    ' 2026-01-01T00:00:00Z',
  ])('finds no time in %j', (text) => {
    expect(readTime(text)).toBeNull();
  });

  it('takes the first years of the calendar for what they are', () => {
    expect(utc('0099-03-01T00:00:00Z')).toBe('0099-03-01T00:00:00Z');
  });
});
