import { describeWithSwitches, eachServer, textEvents } from '@counterfoil/testing';
import { Calls } from './calls.js';
import { leaseClient } from './client-pool.js';
import { Feed } from './feed.js';
import type { FeedItem } from './feed.js';
import { exact } from './positions.js';
import { wireEventOf } from './wire-event.js';

const STREAM = 'session-default/fed';
const COUNT = 900;

describeWithSwitches('stack.md, EventStoreDB row 3: checkpoints and caughtUp overtake events', () => {
  const { server, open } = eachServer({ searchWindow: 1 });

  it('in the client, past a consumer that is slow; never in what the feed brings', async () => {
    const store = await open();
    await store.append({ stream: STREAM, expected: 'no_stream', events: textEvents('e', COUNT) });
    const lease = leaseClient(server().connectionString);
    const calls = new Calls(lease, null, { appendMs: 1000, readMs: 1000 }, 'counterfoil.', new AbortController().signal);
    const positions = (server().log.stream(`counterfoil.${STREAM}`) ?? []).map(({ position }) => position);
    const countUpTo = (position: unknown): number => positions.filter((one) => one <= (position as bigint)).length;
    let delivered = 0;
    let overtaken = 0;
    const feed = new Feed({
      open: (onCheckpoint) =>
        calls.subscribe('start', (position) => {
          if (delivered < countUpTo(position)) overtaken++;
          onCheckpoint(position);
        }),
      eventOf: (recorded) => {
        const event = wireEventOf(recorded, 'counterfoil.');
        if (event !== null) delivered++;
        return event;
      },
      positionOf: (checkpoint) => exact(checkpoint, 'checkpoint'),
      onChange: () => undefined,
    });

    const items: FeedItem[] = [];
    while (!items.some(({ kind }) => kind === 'caught_up')) {
      // Slow: what comes after the feed was paused fills the buffer of the client, checkpoints among it.
      await new Promise((resolve) => setTimeout(resolve, 15));
      for (let item = feed.take(); item !== undefined; item = feed.isPaused ? feed.take() : undefined) items.push(item);
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
