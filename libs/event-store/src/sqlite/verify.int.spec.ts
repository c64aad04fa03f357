import { temporaryDirectory, textEvents } from '@counterfoil/testing';
import { verifyStore } from '../verify.js';
import { A, edited, reseal, sql, tamperedStore } from './testing/tampered-store.js';

const { fill, tamper, verified, openStore } = tamperedStore(temporaryDirectory());

describe('verify', () => {
  it('finds nothing in a store that nobody touched', async () => {
    await fill();
    const seen: bigint[][] = [];
    const report = await verified({ onProgress: (_rate, position, total) => seen.push([position, total]) });
    expect(report).toEqual({ events: 7, streams: 2, ok: true, complete: true, position: 7n, faults: [], faultCount: 0, faultsByKind: {} });
    expect(seen.at(-1)).toEqual([7n, 7n]);
  });

  it('finds nothing in an empty store', async () => {
    expect(await verified()).toMatchObject({ events: 0, ok: true, complete: true, position: 0n });
  });

  it('lists a bounded number of faults and counts all', async () => {
    const store = await openStore();
    await store.append({ stream: A, expected: 'no_stream', events: textEvents('e', 50) });
    await store.close();
    tamper(sql(`UPDATE events SET data = '{}'`));
    const report = await verified({ faultLimit: 10 });
    expect(report.faults).toHaveLength(10);
    expect(report).toMatchObject({ ok: false, events: 50, faultCount: 50, faultsByKind: { hash_mismatch: 50 } });
  });
});

describe('verify in parts', () => {
  it('goes on after a position, against the chains as they stood there', async () => {
    await fill();
    expect(await verified({ resumeAfter: 4n })).toMatchObject({ events: 3, ok: true, position: 7n });
    tamper((db) => {
      db.exec(edited);
      reseal(db, 3);
    });
    expect((await verified({ resumeAfter: 4n })).faults).toMatchObject([{ kind: 'prev_mismatch', stream: A, revision: 2n }]);
    expect(await verified({ resumeAfter: 5n })).toMatchObject({ ok: true });
  });

  it('stops at a page when the signal aborts, and says how far it came', async () => {
    const store = await openStore();
    for (let from = 0; from < 600; from += 100) {
      await store.append({ stream: A, expected: from === 0 ? 'no_stream' : BigInt(from - 1), events: textEvents('e', 100) });
    }
    const abort = new AbortController();
    const first = await verifyStore(store, { signal: abort.signal, onProgress: () => abort.abort() });
    expect(first).toMatchObject({ ok: false, complete: false, faultCount: 0 });
    const rest = await verifyStore(store, { resumeAfter: first.position });
    expect(rest).toMatchObject({ ok: true, complete: true });
    expect([first.events > 0, first.events + rest.events]).toEqual([true, 600]);
    await store.close();
  });
});
