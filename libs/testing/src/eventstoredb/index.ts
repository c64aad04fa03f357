import type { TestEventStoreDb, TestServerOptions } from './server.js';

export type { AppendFault, AppendFaultKind, Faults, ReadFault, SeenAppend, SeenRead } from './faults.js';
export type { EventLog, LogRecord } from './log.js';
export type { Generation } from './node.js';
export type { TestEventStoreDb, TestServerOptions } from './server.js';

/** Starts a test server. gRPC and the messages of the client are loaded only now: most specs don't need them. */
export async function startTestEventStoreDb(options: TestServerOptions = {}): Promise<TestEventStoreDb> {
  const server = await import('./server.js');
  return server.TestEventStoreDb.start(options);
}

export { describeWithSwitches, EVENTSTORE_URL, freshPrefix, serverUnderTest, skippedFor } from './under-test.js';
export type { ServerUnderTest } from './under-test.js';
export { eachServer, QUICK } from './each-server.js';
export type { EachServer } from './each-server.js';
