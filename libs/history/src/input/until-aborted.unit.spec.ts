import { setImmediate as nextTurn } from 'node:timers/promises';
import { untilAborted } from './until-aborted.js';

async function* numbers(count: number): AsyncGenerator<number> {
  for (let n = 0; n < count; n++) yield n;
}

async function take<T>(source: AsyncIterable<T>, upTo = Infinity): Promise<T[]> {
  const taken: T[] = [];
  for await (const item of source) {
    taken.push(item);
    if (taken.length === upTo) break;
  }
  return taken;
}

describe('untilAborted', () => {
  it('hands on everything where no signal comes', async () => {
    expect(await take(untilAborted(numbers(3), undefined))).toEqual([0, 1, 2]);
    expect(await take(untilAborted(numbers(3), new AbortController().signal))).toEqual([0, 1, 2]);
  });

  it('ends at once although the source never answers', async () => {
    const controller = new AbortController();
    const silent: AsyncIterable<number> = { [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => undefined) }) };
    const taken = take(untilAborted(silent, controller.signal));
    controller.abort();
    expect(await taken).toEqual([]);
  });

  it('tells the source when nobody listens any more', async () => {
    let closed = false;
    async function* source(): AsyncGenerator<number> {
      try {
        yield* numbers(5);
      } finally {
        closed = true;
      }
    }
    await take(untilAborted(source(), undefined), 2);
    await nextTurn();
    expect(closed).toBe(true);
  });

  it('hands on the failure of the source', async () => {
    const broken: AsyncIterable<number> = { [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error('disk')) }) };
    await expect(take(untilAborted(broken, new AbortController().signal))).rejects.toThrow('disk');
  });

  it('leaves no listener at the signal', async () => {
    const { signal } = new AbortController();
    let listeners = 0;
    const counting = {
      aborted: false,
      addEventListener: (...args: Parameters<AbortSignal['addEventListener']>) => {
        listeners++;
        signal.addEventListener(...args);
      },
      removeEventListener: (...args: Parameters<AbortSignal['removeEventListener']>) => {
        listeners--;
        signal.removeEventListener(...args);
      },
    } as unknown as AbortSignal;
    await take(untilAborted(numbers(50), counting));
    expect(listeners).toBe(0);
  });
});
