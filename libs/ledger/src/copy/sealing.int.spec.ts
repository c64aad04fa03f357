import { LedgerSealedError, verifyStore, WrongExpectedRevisionError } from '@counterfoil/event-store';
import { collect, rejectionOf, textEvent } from '@counterfoil/testing';
import type { LedgerStore } from '../stores/open-stores.js';
import { copyPlaces, fill, movable, revoked } from '../testing/copy-stores.js';
import { copyLedger } from './copy-ledger.js';
import { sealedFor } from './sealing.js';

const places = copyPlaces();
const QUICK_GRACE = { appendMs: 1000, settleMs: 3000, longestPauseMs: 200 };
/** Nobody writes any more: nothing is to be waited for. */
const AT_REST = { seal: true, sealGraceMs: 0 };

/** A file and a server prefix, in both directions. */
const DIRECTIONS = [
  ['a file to a server', async () => [await places.file('source.db'), await places.server('moved.')] as const],
  ['a server to a file', async () => [await places.server('source.', QUICK_GRACE), await places.file('moved.db')] as const],
] as const;

/** Appends one event after the other until the ledger has ended; gives the ids of those that it was told are stored. */
async function writeUntilSealed(store: LedgerStore, stream: string): Promise<string[]> {
  const acknowledged: string[] = [];
  for (;;) {
    const event = textEvent(`${stream} ${String(acknowledged.length)}`);
    const expected = acknowledged.length === 0 ? ('no_stream' as const) : BigInt(acknowledged.length - 1);
    try {
      await store.append({ stream, expected, events: [event] });
      acknowledged.push(event.id);
    } catch (error) {
      if (error instanceof LedgerSealedError) return acknowledged;
      throw error;
    }
    // Slower than they are copied: else it would only be the copying of more and more that is tried.
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

describe.each(DIRECTIONS)('a ledger that is moved from %s with its end', (_from, open) => {
  it('takes nothing any more; its copy does, and knows nothing of the end', async () => {
    const [source, target] = await open();
    await fill(source, 3, 3);
    const report = await copyLedger(source, target, { seal: true });
    expect(report).toMatchObject({ events: 310, added: 310, sealed: true, sourceGrew: false, ok: true });
    expect(await sealedFor(source)).toBe(target.epoch);
    const [last] = await collect(source.readStream('access', { direction: 'backwards', limit: 1 }));
    expect(last).toMatchObject({
      type: 'LedgerSealed',
      data: { reason: 'moved', targetEpoch: target.epoch },
      metadata: { actor: { principal: 'service:copy', keyId: 'internal' } },
    });
    const next = { stream: 'session-default/s0', expected: 2n, events: [textEvent('next')] } as const;
    expect(await rejectionOf(source.append(next))).toBeInstanceOf(LedgerSealedError);
    expect((await target.append(next)).revision).toBe(3n);
    expect((await target.append({ stream: 'access', expected: 0n, events: [revoked('key2')] })).revision).toBe(1n);
    expect(await verifyStore(target)).toMatchObject({ ok: true });
    expect(await verifyStore(source)).toMatchObject({ ok: true, events: 311 });
  });

  it('under load: whatever a writer was told is stored is in the copy', async () => {
    const [source, target] = await open();
    await fill(source, 3, 3);
    const writing = Array.from({ length: 6 }, (_, n) => writeUntilSealed(source, `session-default/w${String(n)}`));
    // Keys are made meanwhile, in the stream that the end is appended to.
    const access = writeKeys(source);
    const report = await copyLedger(source, target, { seal: true });
    expect(report).toMatchObject({ sealed: true, sourceGrew: false, ok: true });
    const acknowledged = (await Promise.all([...writing, access])).flat();
    const there = new Set((await collect(target.readStored(null))).map(({ id }) => id));
    expect(acknowledged.length).toBeGreaterThan(6);
    expect(acknowledged.filter((id) => !there.has(id))).toEqual([]);
    expect(await movable(target)).toEqual(await movable(source));
  });

  it('is not sealed twice, and a second run finds everything there', async () => {
    const [source, target] = await open();
    await fill(source, 2, 2);
    await copyLedger(source, target, AT_REST);
    expect(await copyLedger(source, target, AT_REST)).toMatchObject({ added: 0, sealed: true, ok: true });
    expect(await collect(source.readStream('access'))).toHaveLength(2);
  });

  it('can be copied elsewhere, and not moved', async () => {
    const [source, target] = await open();
    await fill(source, 2, 2);
    await copyLedger(source, target, AT_REST);
    const other = await places.file('other.db');
    expect(await rejectionOf(copyLedger(source, other, AT_REST))).toMatchObject({ code: 'copy_sealed_for_another' });
    const report = await copyLedger(source, other);
    expect(report).toMatchObject({ events: 305, sealed: false, sourceGrew: false, ok: true });
    expect(await movable(other)).toEqual(await movable(target));
  });
});

/** As an admin that revokes one key after the other until the ledger has ended. */
async function writeKeys(store: LedgerStore): Promise<string[]> {
  const acknowledged: string[] = [];
  for (;;) {
    const event = revoked('key3');
    const head = await store.streamHead('access');
    try {
      await store.append({ stream: 'access', expected: head?.revision ?? 'no_stream', events: [event] });
      acknowledged.push(event.id);
    } catch (error) {
      if (error instanceof LedgerSealedError) return acknowledged;
      if (!(error instanceof WrongExpectedRevisionError)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

describe('a server whose writers look seldom', () => {
  it('is followed until none of them can write any more', async () => {
    const source = await places.server('source.', { ...QUICK_GRACE, sealCheckMs: 1500 });
    const target = await places.file('moved.db');
    await fill(source, 2, 2);
    const other = await places.server('source.', { ...QUICK_GRACE, sealCheckMs: 1500 });
    const writing = writeUntilSealed(other, 'session-default/late');
    const report = await copyLedger(source, target, { seal: true });
    const acknowledged = await writing;
    expect(report).toMatchObject({ ok: true, sourceGrew: false });
    expect(report.events).toBe(305 + acknowledged.length);
  });

  it('says so when the source has grown all the same, and takes that with the next run', async () => {
    const source = await places.server('source.');
    const target = await places.file('moved.db');
    await fill(source, 2, 2);
    const late = await places.server('source.', { sealCheckMs: 60_000 });
    await late.append({ stream: 'session-default/late', expected: 'no_stream', events: [textEvent('before')] });
    let wrote: Promise<unknown> = Promise.resolve();
    const onProgress = ({ step }: { readonly step: string }): void => {
      // When everything was copied and is compared.
      if (step === 'verifying')
        wrote = late.append({ stream: 'session-default/late', expected: 0n, events: [textEvent('late')] }).catch(() => null);
    };
    const report = await copyLedger(source, target, { seal: true, sealGraceMs: 0, onProgress });
    await wrote;
    expect(report).toMatchObject({ events: 306, sealed: true, complete: true, sourceGrew: true, ok: false });
    expect(await copyLedger(source, target, { seal: true, sealGraceMs: 0 })).toMatchObject({ events: 307, added: 1, ok: true });
  });
});

it('an interruption after the end was written leaves it to the next run', async () => {
  const source = await places.server('source.');
  const target = await places.file('moved.db');
  await fill(source, 2, 2);
  const stop = new AbortController();
  const run = copyLedger(source, target, { seal: true, sealGraceMs: 600_000, signal: stop.signal });
  while ((await sealedFor(source)) === null) await new Promise((resolve) => setTimeout(resolve, 5));
  stop.abort();
  expect(await run).toMatchObject({ complete: false, ok: false, sealed: true });
  expect(await copyLedger(source, target, { seal: true, sealGraceMs: 0 })).toMatchObject({ events: 305, sealed: true, ok: true });
});
