import {
  eachServer,
  hasOpenssl,
  makeCertificate,
  PLAIN_SETUP,
  QUICK,
  textEvents,
  TlsFront,
  type TestCertificate,
} from '@counterfoil/testing';
import { openEventStoreDb } from './open.js';
import type { EventStoreDbStore } from './store.js';

const USER = 'counterfoil:FAKE%40password';

const describeTls = hasOpenssl() ? describe : describe.skip;

describeTls('over TLS, with a user (skipped where there is no openssl)', () => {
  const { server } = eachServer({ credentials: 'counterfoil:FAKE@password' });
  let certificate: TestCertificate;
  let front: TlsFront;
  const opened: EventStoreDbStore[] = [];

  beforeAll(() => {
    certificate = makeCertificate();
  });
  beforeEach(async () => {
    front = await TlsFront.start(server().address.port, certificate, ['h2']);
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((store) => store.close()));
    await front.close();
  });
  afterAll(() => {
    certificate.remove();
  });

  const url = (user: string, options: string): string => `esdb://${user}@localhost:${String(front.port)}?${options}`;
  const open = async (connectionString: string): Promise<EventStoreDbStore> => {
    const store = await openEventStoreDb({ connectionString, registry: PLAIN_SETUP.registry, timing: QUICK });
    opened.push(store);
    return store;
  };

  it('appends, reads and subscribes as over a plain connection', async () => {
    const store = await open(url(USER, `tls=true&tlsCAFile=${certificate.file}&keepAliveInterval=10000&keepAliveTimeout=1000`));
    const { position } = await store.append({ stream: 's', expected: 'no_stream', events: textEvents('tls', 2) });
    expect(await store.streamHead('s')).toMatchObject({ revision: 1n, position });
    const stop = new AbortController();
    for await (const batch of store.subscribeAll({ after: null, signal: stop.signal })) if (batch.position >= position) break;
    stop.abort();
    expect(front.handshakes).toBeGreaterThan(0);
  });

  it('does not trust a certificate that the given authority did not sign', async () => {
    const other = makeCertificate();
    try {
      await expect(open(url(USER, `tls=true&tlsCAFile=${other.file}`))).rejects.toMatchObject({ code: 'store_unavailable' });
      expect(server().seenAppends).toEqual([]);
    } finally {
      other.remove();
    }
  });

  it('says of a wrong password that the user was refused, and never quotes it', async () => {
    const opening = open(url('counterfoil:FAKEwrong', `tls=true&tlsCAFile=${certificate.file}`));
    await expect(opening).rejects.toThrow(/user of the event store/);
    await expect(opening).rejects.not.toThrow(/FAKEwrong/);
  });
});
