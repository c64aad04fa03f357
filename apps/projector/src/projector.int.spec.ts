import type { EventStore } from '@counterfoil/event-store';
import { ProjectionEngine } from '@counterfoil/projections';
import type { DocumentStore } from '@counterfoil/read-models';
import { eventually, expectReplayed, projectionFixture, TallyFeed, tallySet, type ProjectionFixture } from '@counterfoil/testing';
import { createLogger } from '@counterfoil/runtime';
import { Faults, startProjector, type Projector } from './projector.js';

const WAIT_MS = 30_000;

describe('a projector', () => {
  let fixture: ProjectionFixture;
  let docs: DocumentStore;
  let events: EventStore;
  let feed: TallyFeed;
  let lines: Record<string, unknown>[];
  let started: Projector[];

  beforeEach(async () => {
    fixture = await projectionFixture();
    docs = await fixture.docs();
    events = await fixture.events();
    feed = new TallyFeed(events);
    lines = [];
    started = [];
  });
  afterEach(async () => {
    await Promise.all(started.map((projector) => projector.stop()));
    await fixture.dispose();
  });

  async function startOne(
    partitions: number,
    store = docs,
    from = events,
  ): Promise<{ readonly engine: ProjectionEngine; readonly projector: Projector }> {
    const faults = new Faults();
    const engine = new ProjectionEngine({
      events: from,
      docs: store,
      set: tallySet(),
      partitions,
      leaseMs: 400,
      retryMs: 1,
      onFault: faults.note,
    });
    const logger = createLogger('info', (line) => lines.push(JSON.parse(line) as Record<string, unknown>));
    const projector = await startProjector(engine, faults, { host: '127.0.0.1', port: 0 }, logger);
    started.push(projector);
    return { engine, projector };
  }
  const ask = async (projector: Projector, path: string): Promise<{ readonly status: number; readonly text: string }> => {
    const answer = await fetch(`${projector.url}${path}`);
    return { status: answer.status, text: await answer.text() };
  };
  const metric = async (projector: Projector, name: string): Promise<string | undefined> =>
    (await ask(projector, '/metrics')).text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.split(' ')[1];

  it.each([1, 8])('projects, and says that it lives, that it is ready, and what it has done, with %d partitions', async (partitions) => {
    const { engine, projector } = await startOne(partitions);
    await engine.waitFor(await feed.fill(60, 6), WAIT_MS);
    expect(await ask(projector, '/health/live')).toEqual({ status: 200, text: '{"status":"live"}' });
    await eventually(async () => (await ask(projector, '/health/ready')).status === 200);
    const ready = JSON.parse((await ask(projector, '/health/ready')).text) as unknown;
    expect(ready).toMatchObject({
      status: 'ready',
      projections: { set: 'tally', version: 1, state: 'running', generation: 1, fault: null },
    });
    await eventually(async () => (await metric(projector, 'counterfoil_projection_lag_positions')) === '0');
    expect(await metric(projector, 'counterfoil_owned_partitions')).toBe(String(partitions));
    expect(await metric(projector, 'counterfoil_unowned_partitions')).toBe('0');
    expect(Number(await metric(projector, 'counterfoil_applied_batches_total'))).toBeGreaterThan(0);
    expect((await ask(projector, '/metrics')).text.match(/^counterfoil_partition_lag_positions\{/gm)?.length ?? 0).toBe(
      partitions === 1 ? 0 : 8,
    );
    expect((await ask(projector, '/v1/receipts')).status).toBe(404);
    await expectReplayed(docs, tallySet(), 1, events);
  });

  it('shares with another, logs one line for each takeover, and gives back what it has when it stops', async () => {
    const [one, two] = [await startOne(8), await startOne(8, await fixture.docs())];
    await eventually(async () => (await metric(one.projector, 'counterfoil_owned_partitions')) === '4');
    await eventually(async () => (await metric(two.projector, 'counterfoil_owned_partitions')) === '4');
    await one.projector.stop();
    await eventually(async () => (await metric(two.projector, 'counterfoil_owned_partitions')) === '8');
    await two.engine.waitFor(await feed.fill(60, 6), WAIT_MS);
    await expectReplayed(docs, tallySet(), 1, events);
    const taken = lines.filter(({ message }) => message === 'partitions taken over');
    expect(taken.at(-1)).toMatchObject({ level: 'info', owned: 8, previous: [0] });
    expect(lines.filter(({ message }) => message === 'partitions given back').at(-1)).toMatchObject({ owned: 0 });
    await expect(fetch(`${one.projector.url}/health/live`)).rejects.toThrow();
  });

  it('says that it is not ready while it cannot project, goes on trying, and names no content in its log', async () => {
    const broken = Object.create(docs, {
      collection: { value: () => Promise.reject(Object.assign(new Error('FAKE-content of a document'), { code: 'broken' })) },
    }) as DocumentStore;
    const { projector } = await startOne(4, broken);
    await eventually(async () => (await ask(projector, '/health/ready')).text.includes('"fault":"broken"'));
    expect((await ask(projector, '/health/ready')).status).toBe(503);
    expect((await ask(projector, '/health/live')).status).toBe(200);
    expect(Number(await metric(projector, 'counterfoil_projection_faults_total'))).toBeGreaterThan(0);
    expect(lines.some(({ level, error }) => level === 'error' && JSON.stringify(error).includes('broken'))).toBe(true);
    expect(JSON.stringify(lines)).not.toContain('FAKE');
  });

  it.each([
    ['event_store', 'head'],
    ['read_models', 'control'],
  ] as const)('says within seconds that it is not ready, and that it lives, while a store hangs: %s', async (part, method) => {
    // Its own file: what hangs must not keep the fixture from closing.
    const hung: (() => void)[] = [];
    let isAway = false;
    const hanging = <T extends object>(store: T, name: keyof T): T =>
      new Proxy(store, {
        get: (target, key) => {
          const value: unknown = Reflect.get(target, key);
          if (typeof value !== 'function') return value;
          const call = value.bind(target) as (...args: unknown[]) => unknown;
          if (key !== name) return call;
          return async (...args: unknown[]) => {
            if (isAway) await new Promise<void>((resolve) => hung.push(resolve));
            return call(...args);
          };
        },
      });
    const [store, from] = part === 'event_store' ? [docs, hanging(events, method as 'head')] : [hanging(docs, method as 'control'), events];
    const { projector } = await startOne(8, store, from);
    await eventually(async () => (await ask(projector, '/health/ready')).status === 200);
    isAway = true;
    await eventually(async () => (await ask(projector, '/health/ready')).status === 503);
    const begunAt = performance.now();
    const answers = await Promise.all(Array.from({ length: 20 }, () => ask(projector, '/health/ready')));
    expect(performance.now() - begunAt).toBeLessThan(15_000);
    for (const { status, text } of answers)
      expect([status, JSON.parse(text)]).toEqual([503, { status: 'not_ready', unreachable: [part], projections: null }]);
    expect((await ask(projector, '/health/live')).status).toBe(200);
    isAway = false;
    for (const resolve of hung) resolve();
    await eventually(async () => (await ask(projector, '/health/ready')).status === 200);
  });
});
