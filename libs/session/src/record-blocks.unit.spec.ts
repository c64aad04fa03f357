import { RecordBlocks } from './record-blocks.js';

const SIZES = [1, 15, 16, 17, 31, 32, 33, 128, 129, 255, 256, 257, 511, 512, 513, 3000];

describe('records in blocks', () => {
  it('keep what was written into them, however many are added', () => {
    const records = new RecordBlocks(6);
    for (let n = 0; n < 3000; n++) {
      expect(records.add()).toBe(n);
      expect(records.viewOf(n).getUint32(0)).toBe(0);
      records.viewOf(n).setUint32(0, n * 7);
      records.bytesAt(n, 4, 2).fill(n % 251);
    }
    expect(records.length).toBe(3000);
    for (let n = 0; n < 3000; n++) {
      expect(records.viewOf(n).getUint32(0)).toBe(n * 7);
      expect([...records.bytesAt(n, 4, 2)]).toEqual([n % 251, n % 251]);
    }
  });

  it.each(SIZES)('take at most twice what %i of them need, and 256 more in the long run', (count) => {
    const records = new RecordBlocks(10);
    for (let n = 0; n < count; n++) records.add();
    expect(records.byteLength).toBeGreaterThanOrEqual(count * 10);
    expect(records.byteLength).toBeLessThanOrEqual(Math.max(16, Math.min(count * 2, count + 256)) * 10);
  });

  it('are not there before they are added', () => {
    const records = new RecordBlocks(10);
    expect(() => records.viewOf(0)).toThrow(RangeError);
  });
});
