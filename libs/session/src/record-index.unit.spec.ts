import { sha256Bytes } from '@counterfoil/canonical';
import { sameBytes } from './compact.js';
import { RecordIndex } from './record-index.js';

/** An index over digests in an array that counts how many records it looks at. */
function counting(digests: Uint8Array[]): { index: RecordIndex; looks: () => number } {
  let looks = 0;
  const at = (record: number): Uint8Array => digests[record]!;
  const index = new RecordIndex(
    (digest, record) => {
      looks++;
      return sameBytes(digest, at(record));
    },
    (record) => at(record),
  );
  return { index, looks: () => looks };
}

function filled(digests: Uint8Array[]): ReturnType<typeof counting> {
  const counted = counting(digests);
  digests.forEach((digest, record) => {
    counted.index.add(digest, record);
  });
  return counted;
}

const digestOf = (n: number): Uint8Array => Uint8Array.from(sha256Bytes(`digest ${n}`)).slice(0, 16);
const range = (length: number): number[] => Array.from({ length }, (_, n) => n);

describe('the index of ended calls', () => {
  it('finds every record, also after it grew, and no other', () => {
    const digests = range(5000).map(digestOf);
    const { index } = filled(digests);
    expect(digests.map((digest) => index.find(digest))).toEqual(range(5000));
    expect(range(1000).map((n) => index.find(digestOf(n + 5000)))).toEqual(range(1000).map(() => null));
  });

  it('keeps the first record of a digest', () => {
    const digest = digestOf(1);
    const { index } = filled([digest, digest, digest]);
    expect(index.find(digest)).toBe(0);
  });

  it('is empty at first', () => {
    expect(counting([]).index.find(digestOf(1))).toBeNull();
  });

  it('takes 8 to 16 bytes for each record once it is more than a few', () => {
    for (const count of [32, 33, 1000, 16_384, 16_385, 100_000]) {
      const { index } = filled(range(count).map(digestOf));
      expect(index.byteLength).toBeGreaterThanOrEqual(count * 8);
      expect(index.byteLength).toBeLessThanOrEqual(Math.max(count, 32) * 16);
    }
  });

  it('looks at a few records only, however many there are', () => {
    for (const count of [1000, 10_000, 100_000]) {
      const digests = range(count).map(digestOf);
      const { index, looks } = filled(digests);
      expect(looks()).toBeLessThan(count * 4);
      const before = looks();
      for (const digest of digests) index.find(digest);
      for (const n of range(count)) index.find(digestOf(n + count));
      expect(looks() - before).toBeLessThan(count * 6);
    }
  });
});

describe('the same operation in every turn', () => {
  it('does not make the index look at all of them', () => {
    // An agent that looks at its working tree once per turn: 16 bytes of one operation before 8 bytes of each turn.
    const operation = digestOf(0);
    const digests = range(4000).map((turn) => Uint8Array.from([...operation, ...digestOf(turn + 1).slice(0, 8)]));
    const { index, looks } = filled(digests);
    expect(looks()).toBeLessThan(4000 * 4);
    const before = looks();
    for (const digest of digests) index.find(digest);
    expect(looks() - before).toBeLessThan(4000 * 4);
  });

  it('nor many operations in one turn', () => {
    const turn = digestOf(0).slice(0, 8);
    const digests = range(4000).map((n) => Uint8Array.from([...digestOf(n + 1), ...turn]));
    const { looks } = filled(digests);
    expect(looks()).toBeLessThan(4000 * 4);
  });
});
