import { projectionFixture, runJob } from '@counterfoil/testing';

it('several processes over one SQLite file lose no update', async () => {
  const fixture = await projectionFixture();
  const docs = await fixture.docs();
  const [documents, times] = [20, 150];
  const job = { kind: 'count_up', file: fixture.file, documents, times } as const;
  const reports = await Promise.all([0, 1, 2].map(() => runJob(job).report()));
  expect(reports.map(({ events }) => events)).toEqual([documents * times, documents * times, documents * times]);
  const counts = await docs.collection<{ n: number }>({ name: 'counts', indexes: [{ name: 'by_n', fields: ['n'] }] });
  const found: number[] = [];
  for await (const { doc } of counts.scan()) found.push(doc?.n ?? 0);
  expect(found).toEqual(Array.from({ length: documents }, () => 3 * times));
  await fixture.dispose();
}, 60_000);
