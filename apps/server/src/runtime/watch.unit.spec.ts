import { Watch } from './watch.js';

const NEVER = new AbortController().signal;
const LONG = 600_000;

const watching = (): Watch => new Watch(() => undefined);

it('remembers what happened between two waits', async () => {
  const watch = watching();
  watch.tell();
  await watch.next(LONG, NEVER);
});

it('what woke one wait does not end the next', async () => {
  const watch = watching();
  const first = watch.next(LONG, NEVER);
  watch.tell();
  await first;
  const stop = new AbortController();
  let over = false;
  const second = watch.next(LONG, stop.signal).then(() => {
    over = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect(over).toBe(false);
  stop.abort();
  await second;
});

it('ends after its time, at once for a signal that aborted before, and when the watch ends', async () => {
  const watch = watching();
  await watch.next(1, NEVER);
  await watch.next(LONG, AbortSignal.abort());
  const last = watch.next(LONG, NEVER);
  watch.end();
  await last;
});
