import { setTimeout as delay } from 'node:timers/promises';
import { openSqliteEventStore } from '@counterfoil/event-store';
import { ProjectionEngine, rebuild } from '@counterfoil/projections';
import { openMongoDocumentStore, openSqliteDocumentStore, type DocumentStore } from '@counterfoil/read-models';
import { plainRegistry } from '../projections/projection-fixture.js';
import { tallySet } from '../projections/tally-set.js';
import type { Job, JobReport } from './job.js';

/** The program of `runJob`: does the job that its argument names. */
async function main(job: Job): Promise<void> {
  const docs = job.mongodb === undefined ? await openSqliteDocumentStore({ file: job.file }) : await openMongoDocumentStore(job.mongodb);
  if (job.kind === 'count_up') await countUp(docs, job);
  else if (job.kind === 'engine') await runEngine(docs, job);
  else await runRebuild(docs, job);
  await docs.close();
}

function report(values: Partial<JobReport>): void {
  process.stdout.write(`${JSON.stringify({ events: 0, heapHalfway: 0, heapAtEnd: 0, ...values })}\n`);
}

const die = (): void => {
  process.kill(process.pid, 'SIGKILL');
};

const isBeyond = (position: bigint, killAt: string | undefined): boolean => killAt !== undefined && position >= BigInt(killAt);

async function countUp(docs: DocumentStore, job: Extract<Job, { kind: 'count_up' }>): Promise<void> {
  const collection = await docs.collection<{ n: number }>({ name: 'counts', indexes: [{ name: 'by_n', fields: ['n'] }] });
  const ids = Array.from({ length: job.documents }, (_, n) => `count-${n}`);
  let written = 0;
  for (let done = 0; done < job.times; done++) {
    for (let open: readonly string[] = ids; open.length > 0;) {
      const found = await collection.getMany(open);
      const writes = open.map((id) => {
        const before = found.get(id);
        const n = (before?.doc?.n ?? 0) + 1;
        return { id, expected: before?.guard ?? null, guard: (before?.guard ?? 0n) + 1n, doc: { n }, fields: { n } };
      });
      open = (await collection.bulkWrite(writes)).conflicts;
      written += writes.length - open.length;
    }
  }
  report({ events: written });
}

async function runEngine(docs: DocumentStore, job: Extract<Job, { kind: 'engine' }>): Promise<void> {
  const events = await openSqliteEventStore({ file: job.file, registry: plainRegistry() });
  const end = new AbortController();
  process.once('SIGTERM', () => end.abort());
  const { leaseMs, batchSize, partitions = 1 } = job;
  const engine = new ProjectionEngine({ events, docs, set: tallySet(), leaseMs, batchSize, partitions });
  let applied = 0;
  engine.listen(({ position }) => {
    if (applied++ === 0) process.stdout.write('working\n');
    if (isBeyond(position, job.killAt)) die();
  });
  await engine.run(end.signal);
  await events.close();
  report({ events: applied });
}

async function runRebuild(docs: DocumentStore, job: Extract<Job, { kind: 'rebuild' }>): Promise<void> {
  const events = await openSqliteEventStore({ file: job.file, registry: plainRegistry() });
  let heapHalfway = 0;
  const { leaseMs, batchSize, killAt } = job;
  const result = await rebuild({
    events,
    docs,
    set: tallySet(),
    leaseMs,
    batchSize,
    onProgress: ({ position, head }) => {
      if (isBeyond(position, killAt)) die();
      if (heapHalfway === 0 && position * 2n >= head) heapHalfway = liveHeap();
    },
  });
  // What the run itself still held is let go of.
  await delay(1);
  report({ events: result.events, heapHalfway, heapAtEnd: liveHeap() });
  await events.close();
}

function liveHeap(): number {
  globalThis.gc?.();
  return globalThis.gc === undefined ? 0 : process.memoryUsage().heapUsed;
}

await main(JSON.parse(process.argv[2] ?? '') as Job);
