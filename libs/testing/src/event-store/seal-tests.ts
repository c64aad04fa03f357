import { uuidV7 } from '@counterfoil/canonical';
import type { NewEvent } from '@counterfoil/contracts';
import { LedgerSealedError, WrongExpectedRevisionError } from '@counterfoil/event-store';
import type { AppendRequest } from '@counterfoil/event-store';
import type { EventStoreFactory, KitStore } from './harness.js';
import { eachTest } from './harness.js';
import { collect, METADATA, newEvent, rejectionOf, textEvent, textEvents, textOf } from './new-events.js';
import { sealedIn } from './sealed-events.js';

const STREAM = 'session-default/sealed';
const ACCESS = 'access';

const sealEvent = (): NewEvent => newEvent({ type: 'LedgerSealed', data: { reason: 'moved', targetEpoch: 'e2' } });

const revoked = (): NewEvent => ({
  id: uuidV7(Date.now()),
  type: 'PrincipalKeyRevoked',
  version: 1,
  data: { keyId: 'key1' },
  metadata: METADATA,
});

const sealing = (expected: AppendRequest['expected'] = 'no_stream'): AppendRequest => ({ stream: ACCESS, expected, events: [sealEvent()] });

/** A ledger ends with LedgerSealed as the last event of `access`. */
export function sealTests(factory: EventStoreFactory): void {
  endTests(factory);
  othersTests(factory);
}

function endTests(factory: EventStoreFactory): void {
  describe('a ledger that was sealed', () => {
    const store = eachTest(factory);
    const before: AppendRequest = { stream: STREAM, expected: 'no_stream', events: textEvents('before', 2) };
    beforeEach(async () => {
      await store.current().append(before);
      await store.current().append({ stream: ACCESS, expected: 'no_stream', events: [revoked()] });
      await store.current().append(sealing(0n));
    });

    it.each([
      ['goes on in a stream', { stream: STREAM, expected: 1n, events: [textEvent('after')] }],
      ['begins a stream', { stream: 'session-default/new', expected: 'no_stream', events: [textEvent('after')] }],
      ['expects a wrong revision', { stream: STREAM, expected: 7n, events: [textEvent('after')] }],
      ['would put an event behind its end', { stream: ACCESS, expected: 1n, events: [revoked()] }],
      ['would end it twice', sealing(1n)],
    ] as const)('takes no append that %s', async (_what, request) => {
      expect(await rejectionOf(store.current().append(request))).toBeInstanceOf(LedgerSealedError);
      const reopened = await store.reopen();
      expect(await rejectionOf(reopened.append(request))).toBeInstanceOf(LedgerSealedError);
      expect(await collect(reopened.readStored(null))).toHaveLength(4);
    });

    it('takes no events to be restored, and knows those that it has', async () => {
      const stored = await collect(store.current().readStored(null, { stream: STREAM }));
      const [last] = stored.slice(-1);
      const next = sealedIn(STREAM, [textEvent('after')], { from: 2n, prev: last?.metadata.integrity.hash ?? null });
      expect(await rejectionOf(store.current().restore(STREAM, next))).toBeInstanceOf(LedgerSealedError);
      expect(await store.current().restore(STREAM, stored)).toEqual({ added: 0 });
      expect(await collect(store.current().readStored(null))).toHaveLength(4);
    });

    it('answers a repeated append as before: it was stored', async () => {
      const answer = await store.current().append(before);
      expect(answer).toMatchObject({ revision: 1n, repeated: true });
      expect(answer.events.map(textOf)).toEqual(['before 0', 'before 1']);
      const reopened = await store.reopen();
      expect(await reopened.append(before)).toEqual(answer);
    });

    it('is read as ever', async () => {
      expect((await collect(store.current().readStream(STREAM))).map(textOf)).toEqual(['before 0', 'before 1']);
      expect((await store.current().streamHead(ACCESS))?.revision).toBe(1n);
    });
  });
}

/** Appends until the store refuses; gives how many it took, and why it refused. */
async function appendUntilRefused(store: KitStore, stream: string): Promise<{ readonly taken: number; readonly refusal: unknown }> {
  for (let taken = 0; ; taken++) {
    try {
      await store.append({ stream, expected: taken === 0 ? 'no_stream' : BigInt(taken - 1), events: [textEvent(String(taken))] });
    } catch (refusal) {
      return { taken, refusal };
    }
  }
}

function othersTests(factory: EventStoreFactory): void {
  describe('sealing beside other writers', () => {
    const store = eachTest(factory);

    it('ends them too, and what they were told is stored is stored', async () => {
      const other = await store.another();
      const writing = [store.current(), other].map((one, n) => appendUntilRefused(one, `session-default/w${String(n)}`));
      await store.current().append({ stream: STREAM, expected: 'no_stream', events: [textEvent('meanwhile')] });
      await store.current().append(sealing());
      const written = await Promise.all(writing);
      for (const [n, { taken, refusal }] of written.entries()) {
        expect(refusal).toBeInstanceOf(LedgerSealedError);
        expect(await collect(other.readStream(`session-default/w${String(n)}`))).toHaveLength(taken);
      }
    });

    it('is seen at once by whoever would put something behind it', async () => {
      const other = await store.another();
      await other.append({ stream: STREAM, expected: 'no_stream', events: [textEvent('looked just now')] });
      await store.current().append(sealing());
      expect(await rejectionOf(other.append({ stream: ACCESS, expected: 0n, events: [revoked()] }))).toBeInstanceOf(LedgerSealedError);
      expect(await collect(other.readStream(ACCESS))).toHaveLength(1);
    });

    it('conflicts with what was appended to `access` meanwhile', async () => {
      const other = await store.another();
      await other.append({ stream: ACCESS, expected: 'no_stream', events: [revoked()] });
      expect(await rejectionOf(store.current().append(sealing()))).toBeInstanceOf(WrongExpectedRevisionError);
      expect((await other.append({ stream: STREAM, expected: 'no_stream', events: [textEvent('goes on')] })).revision).toBe(0n);
    });

    it('is not done by an event of its name elsewhere', async () => {
      await store.current().append({ stream: 'registry-default', expected: 'no_stream', events: [sealEvent()] });
      const answer = await store.current().append({ stream: STREAM, expected: 'no_stream', events: [textEvent('goes on')] });
      expect(answer.revision).toBe(0n);
    });
  });
}
