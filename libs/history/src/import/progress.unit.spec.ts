import { ProgressMeter } from './progress.js';
import type { ImportProgress } from './progress.js';

function meterAt(total: number | null): { meter: ProgressMeter; told: ImportProgress[]; at: (ms: number) => void } {
  let now = 1_000_000;
  const told: ImportProgress[] = [];
  const meter = new ProgressMeter(
    () => now,
    total,
    (progress) => {
      told.push(progress);
    },
  );
  return { meter, told, at: (ms) => (now = 1_000_000 + ms) };
}

describe('ProgressMeter', () => {
  it('tells at most every 250 ms, and at the end', () => {
    const { meter, told, at } = meterAt(1000);
    for (let ms = 0; ms <= 1000; ms += 10) {
      at(ms);
      meter.update(ms, ms / 10);
    }
    expect(told.map(({ records }) => records)).toEqual([25, 50, 75, 100]);
    meter.end(1000, 100);
    expect(told.at(-1)).toEqual({ bytes: 1000, totalBytes: 1000, records: 100, recordsPerSecond: 100, secondsLeft: 0, done: true });
  });

  it('estimates by bytes, and not at all without a size', () => {
    const known = meterAt(1000);
    known.at(500);
    known.meter.update(250, 10);
    expect(known.told[0]).toMatchObject({ recordsPerSecond: 20, secondsLeft: 1.5, done: false });
    const unknown = meterAt(null);
    unknown.at(500);
    unknown.meter.update(250, 10);
    expect(unknown.told[0]?.secondsLeft).toBeNull();
  });

  it('stands a clock that steps back', () => {
    const { meter, told, at } = meterAt(10);
    at(-5000);
    meter.update(5, 1);
    meter.end(10, 2);
    expect(told.map(({ recordsPerSecond }) => recordsPerSecond)).toEqual([0, 0]);
    expect(meter.milliseconds).toBe(0);
  });
});
