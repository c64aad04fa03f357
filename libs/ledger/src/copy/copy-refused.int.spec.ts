import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import type { StoredEvent } from '@counterfoil/contracts';
import { LedgerMissingError, StreamIntegrityError } from '@counterfoil/event-store';
import { collect, rejectionOf, textEvent } from '@counterfoil/testing';
import { openLedger } from '../open-ledger.js';
import { openProjections } from '../open-projections.js';
import { inFile } from '../stores/locations.js';
import { openEventStore, type LedgerStore } from '../stores/open-stores.js';
import { copyPlaces, fill, revoked } from '../testing/copy-stores.js';
import { copyLedger } from './copy-ledger.js';
import { openCopyStores } from './open-copy-stores.js';
import { sealLedger } from './sealing.js';

const places = copyPlaces();

async function copied(): Promise<{ readonly source: LedgerStore; readonly target: LedgerStore }> {
  const source = await places.file('source.db');
  await fill(source, 3, 3);
  const target = await places.server('moved.');
  await copyLedger(source, target);
  return { source, target };
}

/** A source in which somebody has edited the second event of a stream, past all that guards it. */
function editedIn(stream: string, source: LedgerStore): LedgerStore {
  async function* edited(after: bigint | null): AsyncGenerator<StoredEvent> {
    for await (const event of source.readStored(after)) {
      const isIt = event.stream === stream && event.revision === 1n;
      yield isIt ? { ...event, data: textEvent('edited').data } : event;
    }
  }
  return new Proxy(source, {
    get: (on, name) => {
      if (name === 'readStored') return edited;
      const value: unknown = Reflect.get(on, name);
      return typeof value === 'function' ? (value.bind(on) as unknown) : value;
    },
  });
}

const eventsIn = async (store: LedgerStore): Promise<number> => (await collect(store.readStored(null))).length;

describe('a ledger is not copied', () => {
  it('onto itself', async () => {
    const source = await places.file('source.db');
    await fill(source, 1, 1);
    expect(await rejectionOf(copyLedger(source, await places.file('source.db')))).toMatchObject({ code: 'copy_onto_itself' });
    expect(Object.fromEntries(await source.facts())).toEqual({});
  });

  it('into a ledger that is in use', async () => {
    const [source, target] = [await places.file('source.db'), await places.server('used.')];
    await fill(source, 1, 1);
    await target.append({ stream: 'access', expected: 'no_stream', events: [revoked('key9')] });
    expect(await rejectionOf(copyLedger(source, target))).toMatchObject({ code: 'copy_target_in_use' });
    expect(await eventsIn(target)).toBe(1);
    expect(Object.fromEntries(await target.facts())).toEqual({});
  });

  it('into the copy of another', async () => {
    const { target } = await copied();
    const other = await places.file('other.db');
    await fill(other, 1, 1);
    const before = await eventsIn(target);
    expect(await rejectionOf(copyLedger(other, target))).toMatchObject({ code: 'copy_of_another_ledger' });
    expect(await eventsIn(target)).toBe(before);
  });

  it('into one whose server was started with other keys', async () => {
    const [source, target] = [await places.file('source.db'), await places.server('other-keys.')];
    await fill(source, 1, 1);
    await source.setMetaOnce('key_check:import', 'a');
    await target.setMetaOnce('key_check:import', 'b');
    expect(await rejectionOf(copyLedger(source, target))).toMatchObject({ code: 'copy_keys_differ' });
    expect(await eventsIn(target)).toBe(0);
  });

  it('into a copy that has ended itself', async () => {
    const { source, target } = await copied();
    await sealLedger(target, 'e3', Date.now);
    expect(await rejectionOf(copyLedger(source, target))).toMatchObject({ code: 'copy_target_sealed' });
  });

  it('into a copy that has gone on: a stream that is longer, one that is another, one that is more', async () => {
    const { source, target } = await copied();
    await target.append({ stream: 'session-default/s0', expected: 2n, events: [textEvent('of the copy')] });
    expect(await rejectionOf(copyLedger(source, target))).toMatchObject({ code: 'copy_target_differs' });
    await source.append({ stream: 'session-default/s0', expected: 2n, events: [textEvent('of the source'), textEvent('and more')] });
    const refusal = await rejectionOf(copyLedger(source, target));
    expect(refusal).toMatchObject({ code: 'copy_target_differs' });
    expect(String(refusal)).toContain('session-default/s0');
  });

  it('as whole, where the copy holds a stream more', async () => {
    const { source, target } = await copied();
    await target.append({ stream: 'session-default/more', expected: 'no_stream', events: [textEvent('of the copy')] });
    const report = await copyLedger(source, target);
    expect(report).toMatchObject({ ok: false, complete: true });
    expect(report.verification?.ok).toBe(true);
    expect(report.differences).toEqual([{ stream: 'session-default/more', sourceRevision: null, targetRevision: 0n }]);
  });

  it('where it is damaged: the stream is named, and nothing false is written', async () => {
    const source = await places.file('source.db');
    await fill(source, 3, 3);
    const target = await places.file('target.db');
    const refusal = await rejectionOf(copyLedger(editedIn('session-default/s1', source), target));
    expect(refusal).toBeInstanceOf(StreamIntegrityError);
    expect(String(refusal)).toContain('session-default/s1');
    expect(await collect(target.readStored(null, { stream: 'session-default/s1' }))).toHaveLength(0);
  });

  it('from where there is none, and none is made there', async () => {
    const to = { kind: 'sqlite', file: places.path('target.db') } as const;
    const { connectionString } = places.testServer();
    const absent = { kind: 'eventstoredb', connectionString, streamPrefix: 'absent.' } as const;
    for (const from of [inFile(places.path('absent.db')).events, absent]) {
      for (let n = 0; n < 2; n++) expect(await rejectionOf(openCopyStores(from, to))).toBeInstanceOf(LedgerMissingError);
    }
    expect(places.testServer().seenAppends).toHaveLength(0);
  });

  it('between prefixes of one server of which one begins with the other', async () => {
    const at = (streamPrefix: string) =>
      ({ kind: 'eventstoredb', connectionString: places.testServer().connectionString, streamPrefix }) as const;
    expect(await rejectionOf(openCopyStores(at('a.'), at('a.b.')))).toMatchObject({ code: 'copy_prefixes_overlap' });
    expect(await rejectionOf(openCopyStores(at('a.b.'), at('a.')))).toMatchObject({ code: 'copy_prefixes_overlap' });
    expect(await rejectionOf(openCopyStores(at('a.'), at('a.')))).toMatchObject({ code: 'copy_onto_itself' });
  });
});

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
