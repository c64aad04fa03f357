import { StoreUnavailableError } from '../errors.js';
import { asReadFailure, failureOf, isDenied, labelOf } from './failures.js';
import { Lanes } from './lanes.js';
import { StreamHeads } from './stream-heads.js';
import { weightOf } from './weight.js';

describe('what an error of the client means', () => {
  it.each([
    [{ type: 'wrong-expected-version' }, 'conflict'],
    [{ type: 'access-denied', code: 7 }, 'denied'],
    [{ type: 'unknown', code: 7 }, 'denied'],
    [{ type: 'not-leader', code: 5 }, 'not_leader'],
    [{ type: 'stream-not-found' }, 'not_found'],
    [{ type: 'stream-deleted', code: 9 }, 'deleted'],
    [{ type: 'maximum-append-size-exceeded', code: 3 }, 'too_large'],
    [{ type: 'unknown', code: 3, message: 'Trying to read from an invalid position.' }, 'invalid'],
    [{ type: 'unknown', code: 2, message: '2 UNKNOWN: Unexpected ReadAllResult: Error' }, 'invalid'],
    // While no leader is elected: passes.
    [{ type: 'unknown', code: 2, message: '2 UNKNOWN: No leader info available in response' }, 'passing'],
    // A raw gRPC error has no type (stack.md, @eventstore/db-client row 3).
    [{ code: 14, details: 'No connection established' }, 'passing'],
    [{ type: 'cancelled', code: 1 }, 'passing'],
    [{ type: 'deadline-exceeded', code: 4 }, 'passing'],
    [{ type: 'timeout', code: 10 }, 'passing'],
    [{ type: 'toString' }, 'passing'],
    [new TypeError('x'), 'passing'],
    ['a text', 'passing'],
    [null, 'passing'],
  ])('%p: %s', (error, failure) => {
    expect(failureOf(error)).toBe(failure);
  });

  it('is told by code, never by words that may name anything', () => {
    const error = { type: 'unavailable', code: 14, message: 'FAKE-secret' };
    expect(labelOf(error)).toBe('unavailable');
    expect(String(asReadFailure(error))).not.toContain('FAKE');
  });

  it('is known also once it was put into words of the port', () => {
    expect(isDenied(asReadFailure({ type: 'access-denied' }))).toBe(true);
    expect(isDenied(asReadFailure({ code: 14 }))).toBe(false);
    const ours = new StoreUnavailableError('the store is closed');
    expect(asReadFailure(ours)).toBe(ours);
  });
});

describe('lanes', () => {
  it('run one after the other in a lane, side by side over lanes, and go on after a failure', async () => {
    const lanes = new Lanes();
    const log: string[] = [];
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const first = lanes.run('a', async () => {
      log.push('a1 begins');
      await held;
      log.push('a1 fails');
      throw new Error('a1');
    });
    const second = lanes.run('a', async () => log.push('a2'));
    await lanes.run('b', async () => log.push('b'));
    release();
    await expect(first).rejects.toThrow('a1');
    await second;
    await lanes.idle();
    expect(log).toEqual(['a1 begins', 'b', 'a1 fails', 'a2']);
  });
});

describe('the heads of streams', () => {
  it('are known at exactly the revision they were seen at; an older one is no news', () => {
    const heads = new StreamHeads();
    heads.set('s', { revision: 5n, hash: 'five' });
    heads.set('s', { revision: 2n, hash: 'two' });
    expect(heads.hashAt('s', 5n)).toBe('five');
    expect(heads.hashAt('s', 2n)).toBeNull();
    expect(heads.hashAt('other', 5n)).toBeNull();
    heads.clear();
    expect(heads.hashAt('s', 5n)).toBeNull();
  });

  it('are forgotten, the oldest first, when there are too many', () => {
    const heads = new StreamHeads();
    for (let n = 0; n <= 10_000; n++) heads.set(`s${n}`, { revision: 0n, hash: `${n}` });
    expect(heads.hashAt('s0', 0n)).toBeNull();
    expect(heads.hashAt('s1', 0n)).toBe('1');
  });
});

describe('the weight of an event', () => {
  it('grows with its texts, keys too, at any depth', () => {
    expect(weightOf({ a: 'x'.repeat(1000), b: [{ ['k'.repeat(500)]: 1 }] })).toBeGreaterThan(1500);
    let deep: unknown = 'end';
    for (let n = 0; n < 100_000; n++) deep = [deep];
    expect(weightOf(deep)).toBeGreaterThan(500);
    expect(weightOf(new Uint8Array(2000))).toBeGreaterThan(2000);
  });
});
