import type { StoredEvent } from '@counterfoil/contracts';
import { LedgerMissingError, StreamIntegrityError } from '@counterfoil/event-store';
import { collect, rejectionOf, textEvent } from '@counterfoil/testing';
import { inFile } from '../stores/locations.js';
import type { LedgerStore } from '../stores/open-stores.js';
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

  it('into a copy that holds a stream more: nothing of the source is written there', async () => {
    const { source, target } = await copied();
    await target.append({ stream: 'session-default/more', expected: 'no_stream', events: [textEvent('of the copy')] });
    await source.append({ stream: 'session-default/new', expected: 'no_stream', events: [textEvent('of the source')] });
    const before = await eventsIn(target);
    const refusal = await rejectionOf(copyLedger(source, target));
    expect(refusal).toMatchObject({ code: 'copy_target_differs' });
    expect(String(refusal)).toContain('session-default/more');
    expect(await eventsIn(target)).toBe(before);
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

  it.each([
    ['a.', 'a.b.'],
    ['a.b.', 'a.'],
  ])('between such prefixes of one server that is named by two addresses (%s, %s): nothing is written', async (mine, other) => {
    const { connectionString } = places.testServer();
    await fill(await places.server(mine), 1, 1);
    const appends = places.testServer().seenAppends.length;
    const from = { kind: 'eventstoredb', connectionString, streamPrefix: mine } as const;
    const to = { ...from, connectionString: connectionString.replace('esdb://', 'kurrentdb://'), streamPrefix: other };
    expect(await rejectionOf(openCopyStores(from, to))).toMatchObject({ code: 'copy_prefixes_overlap' });
    expect(places.testServer().seenAppends).toHaveLength(appends);
  });

  it('from a copy that was cut off', async () => {
    const [source, half] = [await places.file('source.db'), await places.file('half.db')];
    await fill(source, 2, 2);
    await copyLedger(source, half, { signal: AbortSignal.abort() });
    const target = await places.file('target.db');
    expect(await rejectionOf(copyLedger(half, target, { seal: true }))).toMatchObject({ code: 'copy_source_unfinished' });
    expect(Object.fromEntries(await target.facts())).toEqual({});
    // The half is no worse for it.
    expect(await copyLedger(source, half)).toMatchObject({ ok: true });
    expect(await copyLedger(half, target)).toMatchObject({ ok: true });
  });
});
