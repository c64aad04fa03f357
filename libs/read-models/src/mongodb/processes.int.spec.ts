import { mongoTestDatabase, overMongo, projectionFixture, runJob } from '@counterfoil/testing';

overMongo('several processes over one MongoDB', ['A', 'given'], (server) => {
  it('lose no update', async () => {
    const [database, fixture] = [mongoTestDatabase(server), await projectionFixture()];
    const docs = await database.open();
    const [documents, times] = [20, 60];
    const mongodb = { url: server.url, database: database.name };
    const job = { kind: 'count_up', file: fixture.file, mongodb, documents, times } as const;
    const reports = await Promise.all([0, 1, 2].map(() => runJob(job).report()));
    expect(reports.map(({ events }) => events)).toEqual([documents * times, documents * times, documents * times]);
    const counts = await docs.collection<{ n: number }>({ name: 'counts', indexes: [{ name: 'by_n', fields: ['n'] }] });
    const found: number[] = [];
    for await (const { doc } of counts.scan()) found.push(doc?.n ?? 0);
    expect(found).toEqual(Array.from({ length: documents }, () => 3 * times));
    await fixture.dispose();
    await database.dispose();
  });
});
