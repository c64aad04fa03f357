import { createHash } from 'node:crypto';
import { encodeUtf8 } from '../utf8.js';
import { HashInputError } from './digest.js';
import type { RandomSource } from './random.js';
import { secureRandom } from './random.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const LATEST = 2 ** 48 - 1;
const COUNTER_END = 4096;

// The last time that was given out, and the count within it; shared by all callers in the process.
let lastTime = -1;
let count = 0;

function format(bytes: Uint8Array, version: number): string {
  const hex = Buffer.from(bytes.buffer, bytes.byteOffset, 16);
  hex[6] = ((hex[6] ?? 0) & 0x0f) | (version << 4);
  hex[8] = ((hex[8] ?? 0) & 0x3f) | 0x80;
  const text = hex.toString('hex');
  return `${text.slice(0, 8)}-${text.slice(8, 12)}-${text.slice(12, 16)}-${text.slice(16, 20)}-${text.slice(20)}`;
}

/**
 * A UUID of version 7 (RFC 9562): its order as text is the order of the calls within a process, also when the clock stands
 * still or steps back. The 12 bits after the time count (section 6.2, method 1), from a random start in the lower half.
 *
 * @param now milliseconds since the epoch
 * @throws HashInputError if `now` is no such time
 */
export function uuidV7(now: number, random: RandomSource = secureRandom): string {
  if (!Number.isInteger(now) || now < 0 || now >= LATEST)
    throw new HashInputError('the time of a UUID is in whole milliseconds since 1970');
  const bytes = Uint8Array.from(random(16));
  if (now > lastTime) {
    lastTime = now;
    count = (((bytes[6] ?? 0) << 8) | (bytes[7] ?? 0)) & 0x7ff;
  } else if (++count === COUNTER_END) {
    lastTime++;
    count = 0;
  }
  const view = new DataView(bytes.buffer);
  view.setUint16(0, Math.floor(lastTime / 2 ** 32));
  view.setUint32(2, lastTime % 2 ** 32);
  view.setUint16(6, count);
  return format(bytes, 7);
}

/**
 * A UUID of version 5 (RFC 9562): the same for the same namespace and name, anywhere.
 *
 * @param namespace a UUID
 * @param name hashed in UTF-8
 */
export function uuidV5(namespace: string, name: string): string {
  if (!UUID.test(namespace)) throw new HashInputError('the namespace of a UUID is a UUID');
  const digest = createHash('sha1').update(namespace.replaceAll('-', ''), 'hex').update(encodeUtf8(name)).digest();
  return format(Uint8Array.from(digest.subarray(0, 16)), 5);
}
