import type { EventStore } from '@counterfoil/event-store';
import { openSqliteDocumentStore, type DocumentStore } from '@counterfoil/read-models';
import {
  eventually,
  expectReplayed,
  projectionFixture,
  runJob,
  TallyFeed,
  tallySet,
  type Job,
  type ProjectionFixture,
  type RunningJob,
} from '@counterfoil/testing';
import { ProjectionEngine, rebuild } from '../index.js';

const set = tallySet();
const LEASE_MS = 500;
const PARTITIONS = 16;
const WAIT_MS = 40_000;

/** Processes of their own that share the partitions of one ledger file; killed, halted and woken (cases 55, 58). */
describe('processes that share partitions', () => {
  let fixture: ProjectionFixture;
  let docs: DocumentStore;
  let events: EventStore;
  let feed: TallyFeed;
  let reader: ProjectionEngine;
  let jobs: RunningJob[];

  beforeEach(async () => {
    fixture = await projectionFixture();
    docs = await fixture.docs();
    events = await fixture.events();
    feed = new TallyFeed(events);
    reader = new ProjectionEngine({ events, docs, set, partitions: PARTITIONS });
    jobs = [];
  });
  afterEach(async () => {
    for (const { child } of jobs) child.kill('SIGKILL');
    await Promise.all(jobs.map(({ ended }) => ended));
    await fixture.dispose();
  });

  const engine = (): RunningJob => {
    const job: Job = { kind: 'engine', file: fixture.file, leaseMs: LEASE_MS, batchSize: 50, partitions: PARTITIONS };
    const running = runJob(job);
    jobs.push(running);
    return running;
  };
  /** Partitions by owner. */
  const owners = async (): Promise<readonly (readonly [string, number])[]> => {
    const counts = new Map<string, number>();
    for (const { owner } of (await reader.status()).partitions ?? []) {
      if (owner !== null) counts.set(owner.name, (counts.get(owner.name) ?? 0) + 1);
    }
    return [...counts];
  };
  /** Has each partition one of so many owners, none of which has more than its share? */
  const isSpread = async (count: number): Promise<boolean> => {
    const counts = (await owners()).map(([, partitions]) => partitions);
    const isFair = counts.every((partitions) => partitions <= Math.ceil(PARTITIONS / count));
    return counts.length === count && isFair && counts.reduce((sum, partitions) => sum + partitions) === PARTITIONS;
  };
  const hasPartitions = async ({ child }: RunningJob): Promise<boolean> =>
    (await owners()).some(([name]) => name.startsWith(`${child.pid ?? 0}-`));

  /** Halts a process, but not one that holds the file's write lock: that would halt everybody. */
  const halt = async ({ child }: RunningJob): Promise<void> => {
    const probe = await openSqliteDocumentStore({ file: fixture.file, busyLimitMs: 200 });
    for (let isHalted = false; !isHalted;) {
      child.kill('SIGSTOP');
      isHalted = await probe.compareAndSet('probe', null, {}).then(
        () => true,
        () => false,
      );
      if (!isHalted) child.kill('SIGCONT');
    }
    await probe.close();
  };

  it('spread them; one is killed, one is halted past its lease and woken: nothing is missing or doubled', async () => {
    const [killed, halted, steady] = [engine(), engine(), engine()];
    await feed.fill(400, 40);
    await eventually(() => isSpread(3));
    killed.child.kill('SIGKILL');
    await reader.waitFor(await feed.fill(200, 40), WAIT_MS);
    await eventually(() => isSpread(2));
    expect(await hasPartitions(killed)).toBe(false);

    await halt(halted);
    await reader.waitFor(await feed.fill(200, 40), WAIT_MS);
    await eventually(() => isSpread(1));
    expect(await hasPartitions(steady)).toBe(true);
    halted.child.kill('SIGCONT');
    await eventually(() => isSpread(2));
    expect(await hasPartitions(halted)).toBe(true);
    await reader.waitFor(await feed.fill(200, 40), WAIT_MS);
    await expectReplayed(docs, set, 1, events);

    for (const { child } of [halted, steady]) child.kill('SIGTERM');
    expect(await Promise.all([halted.ended, steady.ended])).toEqual([
      { code: 0, signal: null },
      { code: 0, signal: null },
    ]);
    expect(await owners()).toEqual([]);
    expect(await reader.status()).toMatchObject({ lagPositions: 0n });
  }, 120_000);

  it('are replaced one by one while events come, with a rebuild in between', async () => {
    let generation = 1;
    let current = [engine(), engine()];
    await eventually(() => isSpread(2));
    for (const signal of ['SIGTERM', 'SIGKILL', 'SIGTERM'] as const) {
      const next = engine();
      await feed.fill(100, 20);
      current.shift()?.child.kill(signal);
      current = [...current, next];
      if (signal === 'SIGKILL') ({ generation } = await rebuild({ events, docs, set, leaseMs: LEASE_MS }));
      await reader.waitFor(await feed.fill(100, 20), WAIT_MS);
      await eventually(() => isSpread(2));
    }
    await eventually(async () => (await reader.status()).generation === generation && (await reader.status()).lagPositions === 0n);
    await expectReplayed(docs, set, generation, events);
    for (const { child } of current) child.kill('SIGTERM');
    expect((await Promise.all(current.map(({ ended }) => ended))).map(({ code }) => code)).toEqual([0, 0]);
  }, 120_000);
});
