import { randomBytes } from 'node:crypto';
import type { TestEventStoreDb, TestServerOptions } from './server.js';

/** Names the server that the suites run against instead of the small one: `esdb://…` or `kurrentdb://…`. */
export const EVENTSTORE_URL = 'COUNTERFOIL_TEST_EVENTSTORE_URL';

/** The server that the tests of a spec file share. */
export interface ServerUnderTest {
  readonly connectionString: string;
  /** Null: a real one, with no switches, which may hold other streams. */
  readonly switches: TestEventStoreDb | null;
  stop(): Promise<void>;
}

/** Why tests that need a switch or an empty server are skipped; null: they run. */
export function skippedFor(): string | null {
  return process.env[EVENTSTORE_URL] === undefined ? null : `not against the server that ${EVENTSTORE_URL} names`;
}

export async function serverUnderTest(options: TestServerOptions = {}): Promise<ServerUnderTest> {
  const connectionString = process.env[EVENTSTORE_URL];
  if (connectionString !== undefined) return { connectionString, switches: null, stop: () => Promise.resolve() };
  const { TestEventStoreDb: Server } = await import('./server.js');
  const switches = await Server.start(options);
  return { connectionString: switches.connectionString, switches, stop: () => switches.stop() };
}

/** A stream prefix that nobody has used, so that each test finds its part of the server empty. */
export const freshPrefix = (): string => `counterfoil-test-${randomBytes(8).toString('hex')}.`;

/** Tests that need the switches of the small server: against a real one they are skipped, and their name says why. */
export function describeWithSwitches(name: string, tests: () => void): void {
  const reason = skippedFor();
  if (reason === null) describe(name, tests);
  else describe.skip(`${name} (skipped: ${reason})`, tests);
}
