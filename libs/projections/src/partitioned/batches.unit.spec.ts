import type { EventBatch } from '@counterfoil/event-store';
import { Batches } from './batches.js';

const LONG = 600_000;
const batch = (position: bigint): EventBatch => ({ events: [], unreadable: [], position, caughtUp: true });

/** A subscription that gives what the test puts into it. */
function subscription() {
  const queue: (EventBatch | Error | null)[] = [];
  let wake: () => void = () => undefined;
  let isClosed = false;
  async function* items(): AsyncIterable<EventBatch> {
    try {
      for (;;) {
        const [next] = queue.splice(0, 1);
        if (next === undefined) await new Promise<void>((resolve) => (wake = resolve));
        else if (next === null) return;
        else if (next instanceof Error) throw next;
        else yield next;
      }
    } finally {
      isClosed = true;
    }
  }
  const put = (next: EventBatch | Error | null): void => {
    queue.push(next);
    wake();
  };
  return { batches: new Batches(items()), put, isClosed: () => isClosed };
}

describe('batches', () => {
  it('come in order, are waited for a while or for as long as it takes, and end', async () => {
    const { batches, put } = subscription();
    put(batch(1n));
    expect(await batches.next(null)).toEqual(batch(1n));
    expect(await batches.next(1)).toBe('nothing_yet');
    expect(await batches.next(1)).toBe('nothing_yet');
    const waiting = batches.next(LONG);
    put(batch(2n));
    expect(await waiting).toEqual(batch(2n));
    put(batch(3n));
    put(null);
    expect(await batches.next(null)).toEqual(batch(3n));
    expect(await batches.next(LONG)).toBe('ended');
  });

  it('that were asked for in vain are not lost', async () => {
    const { batches, put } = subscription();
    expect(await batches.next(1)).toBe('nothing_yet');
    put(batch(1n));
    put(batch(2n));
    expect(await batches.next(LONG)).toEqual(batch(1n));
    expect(await batches.next(LONG)).toEqual(batch(2n));
  });

  it('tell of a subscription that fails, also when nobody waits', async () => {
    const { batches, put, isClosed } = subscription();
    expect(await batches.next(1)).toBe('nothing_yet');
    put(new Error('of the test'));
    await new Promise((resolve) => setImmediate(resolve));
    await expect(batches.next(null)).rejects.toThrow('of the test');
    await batches.end();
    expect(isClosed()).toBe(true);
  });

  it('are closed, whatever is under way', async () => {
    const { batches, put, isClosed } = subscription();
    put(batch(1n));
    await batches.next(null);
    expect(await batches.next(1)).toBe('nothing_yet');
    const ended = batches.end();
    put(null);
    await ended;
    expect(isClosed()).toBe(true);
  });
});
