import { randomUUID } from 'node:crypto';
import { createRequire } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { CURRENT_VERSIONS } from '@counterfoil/contracts';
import { LEDGER_STEPS, openEventStoreDb, UpcastingRegistry } from '../index.js';

// What a process does that has a store in EventStoreDB: WHAT [CONNECTION_STRING]. Each ends by itself, or has left something open.
const [what, connectionString] = process.argv.slice(2);
const registry = new UpcastingRegistry({ types: CURRENT_VERSIONS, steps: LEDGER_STEPS });

const actor = { principal: 'agent:tester', keyId: 'key1' };
const metadata = {
  recordedAt: '2027-01-01T08:00:00.000Z',
  occurredAt: null,
  actor,
  correlationId: null,
  causationId: null,
  traceparent: null,
};
const closed = { reason: null, secrets: [] };

/** Whether the client, or gRPC, was loaded into this process. */
function isClientLoaded(): boolean {
  const { cache } = createRequire(import.meta.url);
  return Object.keys(cache).some((file) => file.includes('db-client') || file.includes('grpc-js'));
}

if (what === 'embedded') {
  process.stdout.write(`${JSON.stringify({ loaded: isClientLoaded() })}\n`);
} else {
  const store = await openEventStoreDb({ connectionString: connectionString ?? '', registry });
  const event = { id: randomUUID(), type: 'SessionClosed', version: 1, data: closed, metadata };
  const appended = await store.append({ stream: `session-default/${randomUUID()}`, expected: 'no_stream', events: [event] }).catch(String);
  const abort = new AbortController();
  const subscribed = (async () => {
    for await (const batch of store.subscribeAll({ after: null, signal: abort.signal })) if (batch.caughtUp) abort.abort();
  })();
  await subscribed;
  // Left in the middle: the call that it reads by must be ended.
  for await (const batch of store.readAll(null, { batchSize: 1 })) if (batch.events.length > 0) break;
  const waiting = (async () => {
    const endless = store.subscribeAll({ after: null, signal: new AbortController().signal });
    while ((await endless.next()).done !== true) continue;
    return null;
  })().catch((error: unknown) => (error as { code?: unknown }).code);
  await sleep(100);
  await store.close();
  const revision = typeof appended === 'string' ? appended : String(appended.revision);
  process.stdout.write(`${JSON.stringify({ loaded: isClientLoaded(), revision, subscription: await waiting })}\n`);
}
