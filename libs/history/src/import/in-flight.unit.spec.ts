import { setTimeout as sleep } from 'node:timers/promises';
import { InFlight } from './in-flight.js';

/** A task that ends when told to. */
function held(): { task: () => Promise<void>; release: () => void; started: () => boolean } {
  let started = false;
  let release = (): void => undefined;
  const promise = new Promise<void>((resolve) => (release = resolve));
  return {
    task: () => {
      started = true;
      return promise;
    },
    release: () => {
      release();
    },
    started: () => started,
  };
}

const many = { tasks: 100, bytes: 1_000_000 };

describe('InFlight', () => {
  it('lets go on until so many tasks are on their way, and then when one ends', async () => {
    const flight = new InFlight({ tasks: 2, bytes: 1_000_000 });
    const [a, b] = [held(), held()];
    await flight.run('a', 1, a.task);
    let went = false;
    const second = flight.run('b', 1, b.task).then(() => (went = true));
    await sleep(1);
    expect(went).toBe(false);
    a.release();
    await second;
    expect(went).toBe(true);
    b.release();
    await flight.settle();
  });

  it('counts the bytes that wait, and lets one task alone be over the limit', async () => {
    const flight = new InFlight({ tasks: 100, bytes: 10 });
    const a = held();
    let went = false;
    const first = flight.run('a', 11, a.task).then(() => (went = true));
    await sleep(1);
    expect(went).toBe(false);
    a.release();
    await first;
    expect(went).toBe(true);
  });

  it('runs tasks with one key in the order in which they came', async () => {
    const flight = new InFlight(many);
    const [a, b] = [held(), held()];
    const other = held();
    await flight.run('same', 1, a.task);
    await flight.run('same', 1, b.task);
    await flight.run('other', 1, other.task);
    await sleep(1);
    expect([a.started(), b.started(), other.started()]).toEqual([true, false, true]);
    a.release();
    await sleep(1);
    expect(b.started()).toBe(true);
    [b, other].forEach(({ release }) => {
      release();
    });
    await flight.settle();
  });

  it('says what failed at the next task, and begins nothing after it', async () => {
    const flight = new InFlight(many);
    const later = held();
    await flight.run('a', 1, () => Promise.reject(new Error('away')));
    await flight.settle();
    await expect(flight.run('b', 1, later.task)).rejects.toThrow('away');
    await flight.settle();
    expect(later.started()).toBe(false);
  });
});
