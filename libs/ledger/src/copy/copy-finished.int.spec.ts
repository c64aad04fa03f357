import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { collect, rejectionOf, textEvent } from '@counterfoil/testing';
import { openLedger } from '../open-ledger.js';
import { openProjections } from '../open-projections.js';
import { inFile } from '../stores/locations.js';
import { openEventStore, type LedgerStore } from '../stores/open-stores.js';
import { copyPlaces, fill } from '../testing/copy-stores.js';
import { copyLedger } from './copy-ledger.js';
import { sealedFor } from './sealing.js';

const places = copyPlaces();
const AT_REST = { seal: true, sealGraceMs: 0 };

const eventsIn = async (store: LedgerStore): Promise<number> => (await collect(store.readStored(null))).length;

it('a copy that is not finished is not opened as a ledger; one that is, is', async () => {
  const source = await places.file('source.db');
  await fill(source, 2, 2);
  const file = places.path('copy/target.db');
  mkdirSync(dirname(file), { recursive: true });
  const settings = { ...inFile(file), keysDirectory: places.path('keys') };
  const target = await openEventStore(settings.events);
  const aborted = AbortSignal.abort();
  await copyLedger(source, target, { signal: aborted });
  expect(await rejectionOf(openLedger(settings, { createKeys: true }))).toMatchObject({ code: 'copy_unfinished' });
  expect(await rejectionOf(openProjections(settings))).toMatchObject({ code: 'copy_unfinished' });
  expect(await copyLedger(source, target)).toMatchObject({ ok: true });
  const ledger = await openLedger(settings, { createKeys: true });
  expect(await eventsIn(ledger.store)).toBe(305);
  await ledger.close();
  await target.close();
});

it('an update of a copy that was cut off in the middle left half of it to be opened as a ledger', async () => {
  const source = await places.file('source.db');
  await fill(source, 2, 2);
  const file = places.path('copy/target.db');
  mkdirSync(dirname(file), { recursive: true });
  const settings = { ...inFile(file), keysDirectory: places.path('keys') };
  const target = await openEventStore(settings.events);
  await copyLedger(source, target);
  await (await openLedger(settings, { createKeys: true })).close();
  for (const s of ['new1', 'new2']) await source.append({ stream: `session-default/${s}`, expected: 'no_stream', events: [textEvent(s)] });

  const cut = await rejectionOf(copyLedger(source, failingAfter(1, target), AT_REST));
  expect(String(cut)).toContain('cut off');
  expect([await eventsIn(target), await sealedFor(source)]).toEqual([306, null]);
  expect(await rejectionOf(openLedger(settings, { createKeys: true }))).toMatchObject({ code: 'copy_unfinished' });
  expect(await copyLedger(source, target, AT_REST)).toMatchObject({ added: 1, ok: true, sealed: true });
  const ledger = await openLedger(settings, { createKeys: true });
  expect(await eventsIn(ledger.store)).toBe(307);
  await ledger.close();
  await target.close();
});

/** A target whose copying ends after so many writes. */
function failingAfter(writes: number, target: LedgerStore): LedgerStore {
  let left = writes;
  const restore: LedgerStore['restore'] = (...call) => (left-- > 0 ? target.restore(...call) : Promise.reject(new Error('cut off')));
  return new Proxy(target, {
    get: (on, name) => {
      if (name === 'restore') return restore;
      const value: unknown = Reflect.get(on, name);
      return typeof value === 'function' ? (value.bind(on) as unknown) : value;
    },
  });
}

describe('a copy in which something else was written', () => {
  it.each([
    ['a stream more', 'session-default/more', 'no_stream'],
    ['an event more, as a sweeper leaves one', 'session-default/s0', 2n],
  ] as const)('ended its source before it was seen: %s', async (_what, stream, expected) => {
    const [source, target] = [await places.file('source.db'), await places.server('moved.')];
    await fill(source, 3, 3);
    await copyLedger(source, target);
    await target.append({ stream, expected, events: [textEvent('of the copy')] });
    expect(await rejectionOf(copyLedger(source, target, AT_REST))).toMatchObject({ code: 'copy_target_differs' });
    expect(await sealedFor(source)).toBeNull();
    await source.append({ stream: 'session-default/s1', expected: 2n, events: [textEvent('goes on')] });
    const report = await copyLedger(source, await places.file('empty.db'), AT_REST);
    expect(report).toMatchObject({ events: 311, sealed: true, ok: true });
  });

  it('while it is copied is compared before the source ends', async () => {
    const [source, target] = [await places.file('source.db'), await places.server('moved.')];
    await fill(source, 3, 3);
    let wrote: Promise<unknown> | null = null;
    const onProgress = ({ step }: { readonly step: string }): void => {
      if (step === 'copying') wrote ??= target.append({ stream: 'session-default/more', expected: 'no_stream', events: [textEvent('x')] });
    };
    const slow: LedgerStore = new Proxy(target, {
      get: (on, name) => {
        const value: unknown = Reflect.get(on, name);
        if (name === 'readRaw') return (...args: Parameters<LedgerStore['readRaw']>) => afterwards(wrote, () => on.readRaw(...args));
        return typeof value === 'function' ? (value.bind(on) as unknown) : value;
      },
    });
    const report = await copyLedger(source, slow, { ...AT_REST, onProgress });
    expect(report).toMatchObject({ complete: true, ok: false, sealed: false });
    expect(report.differences).toEqual([{ stream: 'session-default/more', sourceRevision: null, targetRevision: 0n }]);
    expect(await sealedFor(source)).toBeNull();
  });
});

async function* afterwards<T>(work: Promise<unknown> | null, read: () => AsyncIterable<T>): AsyncGenerator<T> {
  await work;
  yield* read();
}
