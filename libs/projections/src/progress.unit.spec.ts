import { Progress } from './progress.js';

const at = (position: bigint, epoch = 'e1') => ({ position, epoch });

describe('progress', () => {
  it('is nothing before anything is known', () => {
    expect(new Progress(1).least(null)).toBe(0n);
    expect(new Progress(3).least([1])).toBe(0n);
  });

  it('only grows, by partition, and everything is as far as the last of them', () => {
    const progress = new Progress(3);
    progress.told(at(7n), null);
    progress.told(at(9n), [0, 2]);
    progress.read({ positions: [8n, 8n, 12n], epoch: 'e1' });
    expect([0, 1, 2].map((partition) => progress.least([partition]))).toEqual([9n, 8n, 12n]);
    expect(progress.least(null)).toBe(8n);
    expect(progress.least([0, 2])).toBe(9n);
  });

  it('begins anew with another epoch of the event store', () => {
    const progress = new Progress(2);
    progress.read({ positions: [8n, 9n], epoch: 'e1' });
    progress.told(at(3n, 'e2'), [1]);
    expect(progress.least(null)).toBe(0n);
    expect(progress.least([1])).toBe(3n);
  });

  it('is behind another where that one is further in any partition, but not of another epoch', () => {
    const [one, other] = [new Progress(2), new Progress(2)];
    one.read({ positions: [8n, 9n], epoch: 'e1' });
    other.read({ positions: [20n, 9n], epoch: 'e1' });
    expect([one.isBehind(other), other.isBehind(one)]).toEqual([true, false]);
    one.told(at(30n), [1]);
    expect([one.isBehind(other), other.isBehind(one)]).toEqual([true, true]);
    one.told(at(1n, 'e2'), null);
    expect([one.isBehind(other), other.isBehind(one)]).toEqual([false, false]);
  });
});
