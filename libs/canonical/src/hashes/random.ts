import { randomFillSync } from 'node:crypto';

/** Gives n random bytes. */
export type RandomSource = (n: number) => Uint8Array;

const pool = new Uint8Array(4096);
let used = pool.length;

/** Secure random bytes, drawn from the system in blocks and given out once. */
export const secureRandom: RandomSource = (n) => {
  if (n > pool.length) return randomFillSync(new Uint8Array(n));
  if (used + n > pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const bytes = pool.slice(used, used + n);
  pool.fill(0, used, used + n);
  used += n;
  return bytes;
};
