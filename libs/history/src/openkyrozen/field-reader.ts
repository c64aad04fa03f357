import { RecordRefused } from './refused.js';
import type { JsonObject } from './json-text.js';
import { readTime } from './time.js';

/** Longest old identifier that is kept as one, in UTF-16 units: with a prefix it still is a call id (promise 1). */
const MAX_IDENTIFIER = 480;
const MAX_CODE = 256;

/** Reads the members of an old record and notes what is odd. Wrong types of facts are noted, those of identity refuse the record. */
export class FieldReader {
  constructor(
    private readonly object: JsonObject,
    private readonly anomalies: Set<string>,
  ) {}

  /** Notes a member that every writer wrote and that is not there. */
  expect(keys: readonly string[]): void {
    if (keys.some((key) => !Object.hasOwn(this.object, key))) this.anomalies.add('missing_keys');
  }

  /** Text of an identity: tool, ids, times. @throws RecordRefused `wrong_type` */
  identity(key: string): string | null {
    const value = this.value(key);
    if (value === null || typeof value === 'string') return value;
    throw new RecordRefused('wrong_type');
  }

  /** An identifier that can be kept as one: well-formed, not empty, bounded. */
  identifier(key: string): string | null {
    const text = this.identity(key);
    if (text === null) return null;
    if (text !== '' && text.length <= MAX_IDENTIFIER && text.isWellFormed()) return text;
    this.anomalies.add('identifier_unusable');
    return null;
  }

  /** A recorded time in UTC. @throws RecordRefused `wrong_type`, `time_impossible` */
  time(key: string): string | null {
    const text = this.identity(key);
    if (text === null) return null;
    const time = readTime(text);
    if (time === null) throw new RecordRefused('time_impossible');
    if (time.assumedUtc) this.anomalies.add('timestamp_assumed_utc');
    return time.utc;
  }

  /** A JSON boolean; anything else that stands there, `"true"` or null, is none and noted under the flag's usual name. */
  flag(key: string, name = key): boolean | null {
    const value = this.value(key);
    if (typeof value === 'boolean') return value;
    if (Object.hasOwn(this.object, key)) this.anomalies.add(`${name}_not_boolean`);
    return null;
  }

  /** An exit code of any platform; a negative one is a signal. */
  exitCode(key: string): number | null {
    const value = this.value(key);
    if (value === null) return null;
    if (typeof value === 'number' && Number.isInteger(value) && value >= -(2 ** 31) && value < 2 ** 32) return value + 0;
    this.anomalies.add('exit_code_not_integer');
    return null;
  }

  /** A code of a few words at most. */
  code(key: string): string | null {
    const value = this.value(key);
    if (value === null) return null;
    if (typeof value === 'string' && value.length <= MAX_CODE && value.isWellFormed()) return value;
    this.anomalies.add(`${key}_not_a_code`);
    return null;
  }

  value(key: string): unknown {
    return Object.hasOwn(this.object, key) ? (this.object[key] ?? null) : null;
  }
}
