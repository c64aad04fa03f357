import type { NewEvent } from '@counterfoil/contracts';
import type { SubscribeOptions } from '@counterfoil/event-store';
import { MemoryEventStore } from '@counterfoil/testing';
import { LiveFeed, workspaceTopics } from './live-feed.js';
import { createLogger } from '@counterfoil/runtime';
import { Shutdown } from './shutdown.js';
import type { Watch } from './watch.js';

const NEVER = new AbortController().signal;
/** Far longer than any test takes: what resolves was woken. */
const LONG = 600_000;

let count = 0;
const event = (): NewEvent => ({
  id: `event-${String(count++)}`,
  type: 'ToolCallRequested',
  version: 2,
  data: {},
  metadata: {
    recordedAt: '2027-01-01T00:00:00.000Z',
    occurredAt: null,
    actor: { principal: 'agent:a', keyId: 'test' },
    correlationId: null,
    causationId: null,
    traceparent: null,
  },
});

const append = (store: MemoryEventStore, stream: string): Promise<unknown> =>
  store.append({ stream, expected: 'no_stream', events: [event()] });

/** A store whose subscriptions end, with an error or without, when the test says so. */
class FailingStore extends MemoryEventStore {
  subscriptions: (bigint | null)[] = [];
  private current = new AbortController();
  private error: Error | null = null;

  override async *subscribeAll(options: SubscribeOptions): ReturnType<MemoryEventStore['subscribeAll']> {
    this.subscriptions.push(options.after);
    this.current = new AbortController();
    yield* super.subscribeAll({ ...options, signal: AbortSignal.any([options.signal, this.current.signal]) });
    const { error } = this;
    this.error = null;
    if (error !== null) throw error;
  }

  end(error: Error | null = null): void {
    this.error = error;
    this.current.abort();
  }
}

let store: FailingStore;
let shutdown: Shutdown;
let feed: LiveFeed;
const log: string[] = [];

beforeEach(async () => {
  store = new FailingStore();
  await append(store, 'session-w/before');
  shutdown = new Shutdown();
  feed = new LiveFeed(
    { store },
    createLogger('debug', (line) => log.push(line)),
    shutdown,
  );
  feed.onApplicationBootstrap();
  await subscribed(1);
});

afterEach(() => feed.onModuleDestroy());

/** Waits for the n-th subscription. */
async function subscribed(n: number): Promise<void> {
  while (store.subscriptions.length < n) await new Promise((resolve) => setTimeout(resolve, 5));
  await new Promise((resolve) => setImmediate(resolve));
}

/** True if the watch is woken by what follows, before another one is that surely is. */
async function isWoken(watch: Watch, cause: () => Promise<unknown>): Promise<boolean> {
  const stream = `session-x/sure-${String(count)}`;
  const sure = feed.watch(stream);
  let woken = false;
  const stop = new AbortController();
  const waiting = watch.next(LONG, stop.signal).then(() => {
    woken = !stop.signal.aborted;
  });
  await cause();
  await append(store, stream);
  await sure.next(LONG, NEVER);
  await new Promise((resolve) => setImmediate(resolve));
  stop.abort();
  await waiting;
  sure.end();
  return woken;
}

it('wakes who watches the stream that changed, and its workspace, and nobody else', async () => {
  expect(await isWoken(feed.watch('session-w/s1'), () => append(store, 'session-w/s1'))).toBe(true);
  expect(await isWoken(feed.watch('session-w/s2'), () => append(store, 'session-w/s3'))).toBe(false);
  expect(await isWoken(feed.watch('session-v/s4'), () => append(store, 'session-w/s4'))).toBe(false);
});

it.each(['session-v/a', 'history-v/b'])('wakes who watches a workspace for %s', async (stream) => {
  expect(await isWoken(feed.watch(...workspaceTopics('v')), () => append(store, stream))).toBe(true);
});

it('begins at the head, not at the beginning', () => {
  expect(store.subscriptions).toEqual([1n]);
});

it.each([
  ['without a word', null],
  ['with an error', new Error('gone')],
])('a subscription that ends %s is made anew from where it was', async (_how, error) => {
  await append(store, 'session-w/first');
  await new Promise((resolve) => setImmediate(resolve));
  const watch = feed.watch('session-w/meanwhile');
  store.end(error);
  await append(store, 'session-w/meanwhile');
  await watch.next(LONG, NEVER);
  expect(store.subscriptions).toEqual([1n, 2n]);
});

it('stops when the server stops, and wakes those who wait', async () => {
  const waiting = feed.watch('session-w/s1').next(LONG, shutdown.signal);
  await feed.onModuleDestroy();
  await waiting;
  expect(store.listenerCount).toBe(0);
});

it('forgets watches that have ended', () => {
  const watch = feed.watch('session-w/s1', 'session-w/s2');
  const other = feed.watch('session-w/s1');
  watch.end();
  other.end();
  watch.end();
  expect(Reflect.get(feed, 'watches')).toEqual(new Map());
});
