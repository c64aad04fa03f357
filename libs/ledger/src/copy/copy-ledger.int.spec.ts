import { verifyStore } from '@counterfoil/event-store';
import { collect, rejectionOf, textEvent } from '@counterfoil/testing';
import type { LedgerStore } from '../stores/open-stores.js';
import { copyPlaces, fill, movable, revoked } from '../testing/copy-stores.js';
import { copyLedger } from './copy-ledger.js';
import type { CopyProgress } from './meter.js';

const places = copyPlaces();

/** A target that breaks after so many calls, as a process that was killed. */
function breakingAfter(target: LedgerStore, calls: number): LedgerStore {
  let left = calls;
  return new Proxy(target, {
    get: (on, name) => {
      if (name === 'restore') {
        return (...args: Parameters<LedgerStore['restore']>) => {
          if (left-- <= 0) throw new Error('killed');
          return on.restore(...args);
        };
      }
      const value: unknown = Reflect.get(on, name);
      return typeof value === 'function' ? (value.bind(on) as unknown) : value;
    },
  });
}

describe('a copy', () => {
  it('from a file to a server and back holds the same events, and knows the same of its keys', async () => {
    const source = await places.file('source.db');
    await fill(source, 12, 20);
    await source.setMetaOnce('key_check:k1', 'check-1');
    await source.setMetaOnce('something_else', 'stays');
    const server = await places.server('moved.');
    const back = await places.file('back.db');
    const first = await copyLedger(source, server);
    const second = await copyLedger(server, back);
    const expected = { events: 541, streams: 14, added: 541, complete: true, ok: true, sealed: false, sourceGrew: false, differences: [] };
    expect([first, second]).toMatchObject([expected, expected]);
    expect(first.byType).toEqual({ PrincipalKeyRevoked: 1, ToolCallRejected: 540 });
    expect(second.totalHash).toBe(first.totalHash);
    const events = await movable(source);
    expect(await movable(server)).toEqual(events);
    expect(await movable(back)).toEqual(events);
    expect(Object.fromEntries(await back.facts())).toEqual({
      'key_check:k1': 'check-1',
      copied_from: server.epoch,
      'copy_begun:1': expect.stringMatching(/^[0-9a-f]{16}$/) as unknown,
      'copy_verified:1': second.position.toString(),
    });
    expect(new Set([source.epoch, server.epoch, back.epoch]).size).toBe(3);
    expect(await verifyStore(back)).toMatchObject({ ok: true, events: 541, streams: 14 });
  });

  it('of an empty ledger is empty, and goes on from there', async () => {
    const source = await places.file('source.db');
    const target = await places.server('moved.');
    expect(await copyLedger(source, target)).toMatchObject({ events: 0, added: 0, position: 0n, ok: true });
    await fill(source, 2, 2);
    expect(await copyLedger(source, target)).toMatchObject({ events: 305, added: 305, ok: true });
  });

  it('begins streams in the order of the source', async () => {
    const source = await places.file('source.db');
    await fill(source, 30, 3);
    const target = await places.file('target.db');
    await copyLedger(source, target);
    const firsts = async (store: LedgerStore): Promise<string[]> =>
      (await collect(store.readStored(null))).filter(({ revision }) => revision === 0n).map(({ stream }) => stream);
    expect(await firsts(target)).toEqual(await firsts(source));
  });

  it('takes appends as the ledger that it is', async () => {
    const source = await places.file('source.db');
    await fill(source, 2, 2);
    const target = await places.server('moved.');
    await copyLedger(source, target);
    await target.append({ stream: 'access', expected: 0n, events: [revoked('key2')] });
    expect((await target.append({ stream: 'session-default/s0', expected: 1n, events: [textEvent('goes on')] })).revision).toBe(2n);
    expect(await verifyStore(target)).toMatchObject({ ok: true });
  });

  it('adds only what came since, when it is made again', async () => {
    const source = await places.file('source.db');
    await fill(source, 5, 5);
    const target = await places.server('moved.');
    await copyLedger(source, target);
    expect(await copyLedger(source, target)).toMatchObject({ events: 326, added: 0, ok: true });
    await source.append({ stream: 'session-default/s0', expected: 4n, events: [textEvent('later')] });
    await source.append({ stream: 'session-default/new', expected: 'no_stream', events: [textEvent('new')] });
    expect(await copyLedger(source, target)).toMatchObject({ events: 328, added: 2, ok: true });
    expect(await movable(target)).toEqual(await movable(source));
  });

  it('tells how far it is', async () => {
    const source = await places.file('source.db');
    await fill(source, 3, 3);
    const told: CopyProgress[] = [];
    const report = await copyLedger(source, await places.file('target.db'), { onProgress: (progress) => told.push(progress) });
    expect([...new Set(told.map(({ step }) => step))]).toEqual(['copying', 'verifying']);
    expect(told[0]).toMatchObject({ position: report.position, total: report.position, secondsLeft: 0 });
  });
});

describe('a copy that was cut off', () => {
  it.each([0, 1, 5, 13])('after %d writes is taken up: nothing is lost, nothing is there twice', async (calls) => {
    const source = await places.file('source.db');
    await fill(source, 12, 20);
    for (const target of [await places.file('target.db'), await places.server('moved.')]) {
      expect(await rejectionOf(copyLedger(source, breakingAfter(target, calls)))).toMatchObject({ message: 'killed' });
      const there = (await collect(target.readStored(null))).length;
      const report = await copyLedger(source, target);
      expect(report).toMatchObject({ events: 541, added: 541 - there, ok: true });
      expect(await movable(target)).toEqual(await movable(source));
    }
  });

  it('by a signal says so, and is taken up', async () => {
    const source = await places.file('source.db');
    await fill(source, 4, 4);
    for (let n = 0; n < 20; n++) {
      const text = 'x'.repeat(240_000);
      await source.append({ stream: `session-default/big${String(n)}`, expected: 'no_stream', events: [textEvent(text), textEvent(text)] });
    }
    const target = await places.file('target.db');
    const stop = new AbortController();
    const report = await copyLedger(source, target, { signal: stop.signal, onProgress: () => stop.abort() });
    expect(report).toMatchObject({ complete: false, ok: false, verification: null });
    const there = (await collect(target.readStored(null))).length;
    expect(there).toBeGreaterThan(0);
    expect(there).toBeLessThan(357);
    expect(await copyLedger(source, target)).toMatchObject({ events: 357, added: 357 - there, ok: true });
  });

  it('goes on over broken connections and lost answers', async () => {
    const source = await places.file('source.db');
    await fill(source, 12, 10);
    const target = await places.server('moved.', { appendMs: 1000, settleMs: 15_000 });
    let n = 0;
    const kinds = ['lose_answer', 'drop_after', 'drop_before', 'no_position', null, null, null] as const;
    places.testServer().faults.decide = () => kinds[n++ % kinds.length] ?? null;
    const report = await copyLedger(source, target);
    places.testServer().faults.reset();
    expect(n).toBeGreaterThan(kinds.length);
    expect(report).toMatchObject({ events: 421, ok: true });
    expect(await movable(target)).toEqual(await movable(source));
  });
});
