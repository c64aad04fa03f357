// As the importer writes the times of old records: in UTC, with the fraction as it was stored.
const RECORDED = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?Z$/;
const FRACTION_DIGITS = 9;

/**
 * An old record's own time as a text that sorts as time does: two spellings of one instant are one text. Milliseconds would not do, since
 * the old writer counted microseconds and did several things in one millisecond.
 *
 * @returns null where there is none, and for what is no such time
 */
export function sortableTime(time: string | null): string | null {
  const match = time === null ? null : RECORDED.exec(time);
  if (match === null) return null;
  const [, seconds = '', fraction = ''] = match;
  return `${seconds}.${fraction.padEnd(FRACTION_DIGITS, '0')}Z`;
}
