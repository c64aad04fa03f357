import { Importing, type ImportAnswer } from './support/importing.js';
import { oldRow, oldRows } from './support/old-rows.js';
import { HandUpload } from './support/upload.js';

let scene: Importing;

beforeAll(async () => {
  scene = await Importing.start(64 * 1024);
});

afterAll(() => scene.running.stop());

describe('an import that runs', () => {
  it('tells how far it is, runs once under its name, and leaves places for three others', async () => {
    const n = scene.fresh(60);
    const uploads = ['run-a', 'run-b', 'run-c', 'run-d'].map(
      (run) => new HandUpload(scene.running.url, scene.key, `/v1/imports?run=${run}`),
    );
    for (const [k, upload] of uploads.entries()) await upload.send(oldRows(n + 10 * k, n + 10 * k + 5));
    const half = await scene.until('run-b', (view) => view.totals.imported === 5);
    expect(half).toMatchObject({ state: 'running', finishedAt: null, totals: { read: 5, imported: 5 } });
    for (const run of ['run-a', 'run-c', 'run-d']) {
      await scene.until(run, () => true);
    }
    const same = await scene.post(oldRow(n), '?run=run-a');
    expect([same.status, same.body]).toMatchObject([409, { code: 'import_running' }]);
    const fifth = await scene.post(oldRow(n), '?run=run-e');
    expect([fifth.status, fifth.body]).toMatchObject([429, { code: 'too_many_imports' }]);
    expect((await scene.importer.raw('GET', '/v1/imports/run-e')).status).toBe(404);
    for (const [k, upload] of uploads.entries()) {
      await upload.send(oldRows(n + 10 * k + 5, n + 10 * k + 10));
      expect(await upload.end()).toMatchObject({ status: 201, body: { state: 'finished', totals: { read: 10, imported: 10 } } });
    }
    expect(await scene.post(oldRow(n), '?run=run-e')).toMatchObject({ status: 200, body: { totals: { duplicate: 1 } } });
  });

  it('and another of the same records at the same time add each of them once', async () => {
    const n = scene.fresh(500);
    const body = oldRows(n, n + 500);
    const head = await scene.running.events();
    const answers = await Promise.all([scene.imported(body), scene.imported(body)]);
    const sum = (of: (answer: ImportAnswer) => number): number => answers.reduce((total, answer) => total + of(answer), 0);
    expect([sum(({ totals }) => totals.imported), sum(({ totals }) => totals.duplicate)]).toEqual([500, 500]);
    const finished = answers.filter(({ eventsAdded }) => eventsAdded > 0).length;
    expect((await scene.running.events()) - head).toBe(BigInt(500 + finished));
  });

  it('stops when its client goes away; what is counted is stored, and the rest comes with the next go', async () => {
    const n = scene.fresh(2000);
    const lines = Array.from({ length: 2000 }, (_, k) => `${oldRow(n + k)}\n`);
    const head = await scene.running.events();
    const upload = new HandUpload(scene.running.url, scene.key, '/v1/imports?run=left');
    // Half of them, and half of one.
    await upload.send(lines.slice(0, 1000).join(''));
    await upload.send((lines[1000] ?? '').slice(0, 200));
    await scene.until('left', (view) => view.totals.imported > 0);
    upload.leave();
    const stopped = await scene.until('left', ({ state }) => state !== 'running');
    expect(stopped).toMatchObject({ state: 'interrupted', totals: { quarantined: 0 }, error: null });
    const first = stopped.totals.imported;
    expect(first).toBeLessThanOrEqual(1000);
    expect((await scene.running.events()) - head).toBe(BigInt(first + 1));

    const answer = await scene.imported(lines.join(''), '?run=left');
    expect(answer).toMatchObject({ state: 'finished', totals: { read: 2000, imported: 2000 - first, duplicate: first } });
    expect((await scene.running.events()) - head).toBe(2002n);
    const { items } = await scene.importer.call<{ items: ImportAnswer[] }>('GET', '/v1/imports', undefined, {
      'counterfoil-min-position': answer.position,
    });
    expect(items[0]).toMatchObject({ importRun: 'left', state: 'finished', added: { receipts: 2000 } });
  });
});

it('a server that stops ends an import between two records, and answers', async () => {
  const other = await Importing.start(64 * 1024);
  const upload = new HandUpload(other.running.url, other.key, '/v1/imports?run=stopped');
  await upload.send(oldRows(0, 50));
  await other.until('stopped', ({ totals }) => totals.imported === 50);
  const ended = other.running.stop();
  expect(await upload.answer).toMatchObject({
    status: 201,
    connection: 'close',
    body: { state: 'interrupted', eventsAdded: 50, totals: { read: 50, imported: 50 } },
  });
  await ended;
});
