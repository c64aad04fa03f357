/** A recorded time in UTC with its fraction as stored; `assumedUtc` when the record named no zone. */
export interface RecordedTime {
  readonly utc: string;
  readonly assumedUtc: boolean;
}

// Python's datetime.isoformat(), and what hands and other exporters made of it: a blank for the T, no seconds, Z.
const ISO = /^(\d{4})-(\d{2})-(\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?$/;
const MINUTE_MS = 60_000;
const LAST_OFFSET_MINUTES = 24 * 60 - 1;

function offsetMinutes(zone: string): number | null {
  if (zone === 'Z') return 0;
  const hours = Number(zone.slice(1, 3));
  const minutes = Number(zone.slice(-2));
  const total = hours * 60 + minutes;
  if (minutes > 59 || total > LAST_OFFSET_MINUTES) return null;
  return zone.startsWith('-') ? -total : total;
}

function exists(year: number, month: number, day: number, hour: number, minute: number, second: number): boolean {
  if (month < 1 || month > 12 || hour > 23 || minute > 59 || second > 59) return false;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 ? (isLeap ? 29 : 28) : [4, 6, 9, 11].includes(month) ? 30 : 31;
  return day >= 1 && day <= days;
}

/** `text` is an ISO time of 19 characters. Null where the move leads out of the years 0000 to 9999. */
function moved(text: string, minutes: number): string | null {
  const utc = new Date(Date.parse(`${text}Z`) - minutes * MINUTE_MS).toISOString();
  // Beyond them the ISO form has a sign and six digits.
  return utc.length === 24 ? utc.slice(0, 19) : null;
}

/**
 * Reads a recorded time. A time that names no zone is read as UTC, which is what the old writer always meant, and says so.
 *
 * @returns null for text that is no time, or names a day, an hour or an offset that doesn't exist; a leap second too
 */
export function readTime(text: string): RecordedTime | null {
  const match = ISO.exec(text);
  if (match === null) return null;
  const [, year, month, day, hour, minute, second = '00', fraction = '', zone] = match;
  if (!exists(Number(year), Number(month), Number(day), Number(hour), Number(minute), Number(second))) return null;
  const offset = zone === undefined ? 0 : offsetMinutes(zone);
  if (offset === null) return null;
  const local = `${text.slice(0, 10)}T${text.slice(11, 16)}:${second}`;
  const utc = offset === 0 ? local : moved(local, offset);
  return utc === null ? null : { utc: `${utc}${fraction}Z`, assumedUtc: zone === undefined };
}

const FRACTION_DIGITS = 9;

/** Whether a recorded time, as `readTime` gives it, is before another one; null is before nothing. */
export function isBefore(time: string | null, other: string | null): boolean {
  return time !== null && other !== null && comparable(time) < comparable(other);
}

function comparable(utc: string): string {
  return utc.slice(0, 19) + utc.slice(20, -1).padEnd(FRACTION_DIGITS, '0');
}
