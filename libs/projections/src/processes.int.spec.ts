import type { EventStore } from '@counterfoil/event-store';
import type { DocumentStore } from '@counterfoil/read-models';
import {
  expectReplayed,
  projectionFixture,
  runJob,
  start,
  TallyFeed,
  tallySet,
  type Job,
  type ProjectionFixture,
} from '@counterfoil/testing';
import { compareSets, ProjectionEngine, rebuild } from './index.js';

const set = tallySet();
const LEASE_MS = 300;

/** Processes of their own over one ledger file, ended by SIGKILL (cases 54, 55). */
describe('processes over one ledger file', () => {
  let fixture: ProjectionFixture;
  let docs: DocumentStore;
  let events: EventStore;
  let head: bigint;

  beforeEach(async () => {
    fixture = await projectionFixture();
    docs = await fixture.docs();
    events = await fixture.events();
    head = await new TallyFeed(events).fill(3000, 60);
  });
  afterEach(() => fixture.dispose());

  const job = (kind: 'engine' | 'rebuild', percent?: bigint): Job => ({
    kind,
    file: fixture.file,
    leaseMs: LEASE_MS,
    batchSize: 50,
    ...(percent === undefined ? {} : { killAt: ((head * percent) / 100n).toString() }),
  });

  it('a rebuild that is killed at 10, 50 and 90 % is gone on with each time', async () => {
    for (const percent of [10n, 50n, 90n]) expect(await runJob(job('rebuild', percent)).ended).toMatchObject({ signal: 'SIGKILL' });
    const result = await rebuild({ events, docs, set, leaseMs: LEASE_MS });
    expect(result).toMatchObject({ generation: 2, resumed: true, position: head });
    expect(result.events).toBeLessThanOrEqual(Number(head) / 10);
    await expectReplayed(docs, set, 2, events);
  }, 60_000);

  it('an engine that is killed is replaced by the one that stands by; nothing is missing or doubled', async () => {
    const killed = runJob(job('engine', 40n));
    await killed.printed('working');
    const engine = new ProjectionEngine({ events, docs, set, leaseMs: LEASE_MS });
    const running = start(engine);
    expect(await killed.ended).toMatchObject({ signal: 'SIGKILL' });
    await engine.waitFor(await new TallyFeed(events, 1).append('later', 1, 2), 20_000);
    await expectReplayed(docs, set, 1, events);
    await running.stop();
  }, 60_000);

  it('an engine is told to end and ends; a rebuild beside another process equals the live documents', async () => {
    const live = runJob(job('engine'));
    const reader = new ProjectionEngine({ events, docs, set });
    await reader.waitFor(head, 20_000);
    const { replaced, generation } = await rebuild({ events, docs, set, leaseMs: LEASE_MS });
    expect(await compareSets(docs, set, replaced, generation)).toMatchObject({ isEqual: true, newer: 0 });
    const position = await new TallyFeed(events, 1).append('later', 1, 2);
    await reader.waitFor(position, 20_000);
    expect(await reader.status()).toMatchObject({ generation, position, state: 'stopped' });
    live.child.kill('SIGTERM');
    expect(await live.ended).toEqual({ code: 0, signal: null });
    await expectReplayed(docs, set, generation, events);
  }, 60_000);
});

describe('memory', () => {
  it('stays flat while 100,000 events are projected', async () => {
    const fixture = await projectionFixture();
    const events = await fixture.events();
    await new TallyFeed(events).fill(100_000, 2000);
    const { file } = fixture;
    const flags = ['--max-old-space-size=96', '--expose-gc'];
    const report = await runJob({ kind: 'rebuild', file, leaseMs: 2000, batchSize: 500 }, flags).report();
    expect(report.events).toBeGreaterThanOrEqual(100_000);
    expect(report.heapHalfway).toBeGreaterThan(0);
    // The second half leaves nothing behind that grows with events or documents (8 MB are 160 bytes for each event).
    expect(report.heapAtEnd - report.heapHalfway).toBeLessThan(8_000_000);
    await fixture.dispose();
  }, 120_000);
});
