import {
  hasOpenssl,
  makeCertificate,
  mongoTestDatabase,
  overMongo,
  TlsFront,
  type MongoTestDatabase,
  type TestCertificate,
} from '@counterfoil/testing';

const describeTls = hasOpenssl() ? describe : describe.skip;

/** The test servers speak no TLS: it ends in front of one, as for a client it is the same. */
overMongo('a MongoDB behind TLS', ['A'], (server) => {
  describeTls('(skipped where there is no openssl)', () => {
    let certificate: TestCertificate;
    let front: TlsFront;
    let database: MongoTestDatabase;

    beforeAll(async () => {
      certificate = makeCertificate();
      front = await TlsFront.start(Number(new URL(server.url).port), certificate);
      database = mongoTestDatabase(server);
    });
    afterAll(async () => {
      await database.dispose();
      await front.close();
      certificate.remove();
    });

    const url = (options: string): string => `mongodb://localhost:${String(front.port)}/?${options}`;

    it('is written and read as over a plain connection', async () => {
      const store = await database.open({ url: url(`tls=true&tlsCAFile=${certificate.file}`) });
      const collection = await store.collection<{ n: number }>({ name: 'over_tls', indexes: [{ name: 'by_n', fields: ['n'] }] });
      await collection.bulkWrite([{ id: 'a', expected: null, guard: 1n, doc: { n: 1 }, fields: { n: 1 } }]);
      expect(await collection.get('a')).toMatchObject({ guard: 1n, doc: { n: 1 } });
      expect(front.handshakes).toBeGreaterThan(0);
    });

    it('whose certificate the given authority did not sign is not trusted', async () => {
      const other = makeCertificate();
      try {
        const opening = database.open({ url: url(`tls=true&tlsCAFile=${other.file}`), timeoutMs: 1000 });
        await expect(opening).rejects.toMatchObject({ code: 'document_store_unavailable' });
      } finally {
        other.remove();
      }
    });

    it.each(['tls=perhaps', 'tls=true&tlsCAFile=/nowhere/ca.crt', 'noSuchOption=FAKEvalue'])(
      'with %s is a setting that is refused, not quoted',
      async (options) => {
        const opening = database.open({ url: `mongodb://user:FAKEpassword@localhost:${String(front.port)}/?${options}`, timeoutMs: 1000 });
        await expect(opening).rejects.toMatchObject({ code: 'document_store_settings' });
        await expect(opening).rejects.not.toThrow(/FAKE/);
      },
    );
  });
});
