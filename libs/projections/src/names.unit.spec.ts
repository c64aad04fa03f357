import { partitionOf } from './names.js';

describe('the partition of a stream', () => {
  // Fixed: checkpoints rest on it. The first byte of the SHA-256 of the name.
  it.each([
    ['access', 160],
    ['registry-default', 209],
    ['session-default/s1', 64],
    ['session-w/\u{1F600}', 198],
  ])('%s', (stream, first) => {
    for (const partitions of [1, 2, 16, 64, 100, 256]) expect(partitionOf(stream, partitions)).toBe(first % partitions);
  });

  it('is about as often each of them', () => {
    const counts = Array.from({ length: 64 }, () => 0);
    for (let n = 0; n < 64_000; n++) counts[partitionOf(`session-default/s${n}`, 64)]!++;
    // A thousand each; further off than this is no accident.
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(200);
  });
});
