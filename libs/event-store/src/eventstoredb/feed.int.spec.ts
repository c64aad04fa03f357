import { describeWithSwitches, eachServer, textEvents } from '@counterfoil/testing';
import { Calls } from './calls.js';
import { leaseClient } from './client-pool.js';
import { Feed } from './feed.js';
import type { FeedItem } from './feed.js';
import { exact } from './positions.js';
import { wireEventOf } from './wire-event.js';

const STREAM = 'session-default/fed';
const COUNT = 400;

describeWithSwitches('stack.md, EventStoreDB row 3: checkpoints and caughtUp overtake events', () => {
  const { server, open } = eachServer({ searchWindow: 1 });

  it('in the client, past a consumer that is slow; never in what the feed brings', async () => {
    const store = await open();
    await store.append({ stream: STREAM, expected: 'no_stream', events: textEvents('e', COUNT) });
    const lease = leaseClient(server().connectionString);
    const calls = new Calls(lease, null, { appendMs: 1000, readMs: 1000 }, 'counterfoil.', new AbortController().signal);
    let wake = (): void => undefined;
    let overtaken = 0;
    const feed: Feed = new Feed({
      open: (onCheckpoint) =>
        calls.subscribe('start', (position) => {
          // The client calls back while events that it was sent before lie in its own buffer.
          if (feed.items.filter(({ kind }) => kind === 'event').length < countUpTo(position)) overtaken++;
          onCheckpoint(position);
        }),
      eventOf: (recorded) => wireEventOf(recorded, 'counterfoil.'),
      positionOf: (checkpoint) => exact(checkpoint, 'checkpoint'),
      onChange: () => wake(),
    });
    const positions = server()
      .log.stream(`counterfoil.${STREAM}`)
      ?.map(({ position }) => position);
    const countUpTo = (position: unknown): number => (positions ?? []).filter((one) => one <= (position as bigint)).length;

    const items: FeedItem[] = [];
    while (!items.some(({ kind }) => kind === 'caught_up')) {
      // Slow: lets the feed fill up to where it is paused, then takes a few.
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 15);
        wake = () => {
          if (!feed.isPaused) return;
          clearTimeout(timer);
          resolve();
        };
      });
      for (let item = feed.take(), n = 0; item !== undefined && n < 40; item = n < 39 ? feed.take() : undefined, n++) items.push(item);
    }
    feed.end();
    await lease.release();

    let seen = 0n;
    let events = 0;
    for (const item of items) {
      if (item.kind === 'event') {
        events++;
        expect(item.event.position > seen).toBe(true);
        seen = item.event.position;
      } else if (item.kind === 'passed') {
        expect(countUpTo(item.position)).toBe(events);
      } else {
        expect(events).toBe(COUNT);
      }
    }
    expect(items.filter(({ kind }) => kind === 'passed').length).toBeGreaterThan(10);
    expect(overtaken).toBeGreaterThan(0);
  });
});
