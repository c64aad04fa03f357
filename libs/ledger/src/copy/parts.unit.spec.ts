import type { StoredEvent } from '@counterfoil/contracts';
import { EventTooLargeError, StoreUnavailableError, type RestorableStore } from '@counterfoil/event-store';
import { rejectionOf, sealedIn, textEvent, textEvents } from '@counterfoil/testing';
import { KnownHeads } from './known-heads.js';
import { Meter, type CopyProgress } from './meter.js';
import { restoreCall } from './restore-call.js';
import { Tally } from './tally.js';
import { Window } from './window.js';

const counted = (event: StoredEvent) => ({ ...event, hash: event.metadata.integrity.hash });

describe('a window', () => {
  it('gathers by stream, in order of first appearance', () => {
    const window = new Window();
    const [a, b] = [sealedIn('a', textEvents('a', 3)), sealedIn('b', textEvents('b', 2))];
    for (const event of [a[0], b[0], a[1], a[2], b[1]]) if (event !== undefined) window.add(event);
    expect(window.groups()).toEqual([
      { stream: 'a', calls: [a] },
      { stream: 'b', calls: [b] },
    ]);
  });

  it('is full by number and by weight, and makes calls of what fits', () => {
    const many = new Window();
    const events = sealedIn('a', textEvents('a', 2048));
    for (const event of events) {
      expect(many.isFull).toBe(false);
      many.add(event);
    }
    expect(many.isFull).toBe(true);
    const [group] = many.groups();
    expect(group?.calls.flat()).toEqual(events);
    expect(group?.calls.every((call) => call.length > 0 && call.length <= 128)).toBe(true);
    const heavy = new Window();
    const big = sealedIn(
      'b',
      Array.from({ length: 18 }, () => textEvent('x'.repeat(240_000))),
    );
    for (const event of big) heavy.add(event);
    expect(heavy.isFull).toBe(true);
    expect(heavy.groups()[0]?.calls.map((call) => call.length)).toEqual(Array.from({ length: 18 }, () => 1));
  });
});

describe('a tally', () => {
  const [a, b] = [sealedIn('a', textEvents('a', 3)), sealedIn('b', textEvents('b', 2))];
  const tallyOf = (...events: readonly StoredEvent[]): Tally => {
    const tally = new Tally();
    for (const event of events) tally.add(counted(event));
    return tally;
  };

  it('is the same whatever the order of the streams', () => {
    const [one, other] = [tallyOf(...a, ...b), tallyOf(...b, ...a)];
    expect(one.equals(other)).toBe(true);
    expect([one.events, one.streams, one.totalHash]).toEqual([5, 2, other.totalHash]);
    expect(one.differences(other, 10)).toEqual([]);
  });

  it('differs for a missing, a further, another and a doubled event, and names the stream', () => {
    const whole = tallyOf(...a, ...b);
    const other = sealedIn('b', textEvents('other', 2));
    const cases: [Tally, unknown][] = [
      [tallyOf(...a, ...b.slice(0, 1)), [{ stream: 'b', sourceRevision: 1n, targetRevision: 0n }]],
      [tallyOf(...a), [{ stream: 'b', sourceRevision: 1n, targetRevision: null }]],
      [tallyOf(...a, ...b, ...sealedIn('c', textEvents('c', 1))), [{ stream: 'c', sourceRevision: null, targetRevision: 0n }]],
      [tallyOf(...a, ...other), [{ stream: 'b', sourceRevision: 1n, targetRevision: 1n }]],
      [tallyOf(...a, ...b, ...b), []],
    ];
    for (const [tally, differences] of cases) {
      expect(whole.equals(tally)).toBe(false);
      expect(whole.differences(tally, 10)).toEqual(differences);
    }
  });
});

describe('known heads', () => {
  const events = sealedIn('a', textEvents('a', 6));
  const headAt = (n: number | null, hash?: string) => ({
    streamHead: () =>
      Promise.resolve(n === null ? null : { revision: BigInt(n), position: 1n, hash: hash ?? events[n]?.metadata.integrity.hash ?? '' }),
  });

  it.each([
    [null, 6],
    [0, 5],
    [2, 3],
    [5, 0],
  ])('leave out what is there up to revision %p, in pieces too', async (head, missing) => {
    const known = new KnownHeads(headAt(head), false);
    const found = [...(await known.missing('a', events.slice(0, 2))), ...(await known.missing('a', events.slice(2)))];
    expect(found).toEqual(events.slice(6 - missing));
    known.checkEnd();
  });

  it('are asked for no stream of a new target', async () => {
    const known = new KnownHeads({ streamHead: () => Promise.reject(new Error('asked')) }, true);
    expect(await known.missing('a', events)).toEqual(events);
  });

  it('tell another event at a head, and a stream that is longer', async () => {
    expect(await rejectionOf(new KnownHeads(headAt(3, 'f'.repeat(64)), false).missing('a', events))).toMatchObject({
      code: 'copy_target_differs',
    });
    const longer = new KnownHeads(headAt(9), false);
    expect(await longer.missing('a', events)).toEqual([]);
    expect(() => longer.checkEnd()).toThrow('holds more events');
  });
});

describe('a call to the target', () => {
  const events = sealedIn('a', textEvents('a', 9));

  it('is halved where it is too large, and never torn within an event', async () => {
    const taken: number[] = [];
    const target: RestorableStore = {
      restore: async (_stream, some) => {
        if (some.length > 2) throw new EventTooLargeError('too large');
        taken.push(some.length);
        return { added: some.length };
      },
    };
    expect(await restoreCall(target, 'a', events)).toBe(9);
    expect(taken.every((count) => count <= 2)).toBe(true);
    const never: RestorableStore = { restore: () => Promise.reject(new EventTooLargeError('too large')) };
    expect(await rejectionOf(restoreCall(never, 'a', events.slice(0, 1)))).toBeInstanceOf(EventTooLargeError);
  });

  it('is made again when the store was away', async () => {
    let calls = 0;
    const target: RestorableStore = {
      restore: async (_stream, some) => {
        if (++calls < 3) throw new StoreUnavailableError('away');
        return { added: some.length };
      },
    };
    expect(await restoreCall(target, 'a', events)).toBe(9);
    expect(calls).toBe(3);
  });
});

it('a meter tells nothing of the time that is left before anything was done, and none at the end', () => {
  const told: CopyProgress[] = [];
  const meter = new Meter('copying', (progress) => told.push(progress));
  meter.at(0, 0n, 10n);
  meter.at(5, 12n, 10n);
  expect(told).toMatchObject([
    { position: 0n, total: 10n, secondsLeft: null },
    { position: 12n, total: 12n, secondsLeft: 0 },
  ]);
});
