import { uuidV7 } from '@counterfoil/canonical';
import { CURRENT_VERSIONS } from '@counterfoil/contracts';
import type { EventData, NewEvent } from '@counterfoil/contracts';
import { UpcastingRegistry } from '../upcasting/registry.js';
import { LEDGER_STEPS } from '../upcasting/steps/index.js';
import { openSqliteEventStore } from './store.js';
import type { SqliteEventStore } from './store.js';

// A process that appends: FILE NAME SESSIONS EVENTS. Each acknowledged append is a line on stdout, written before anything else happens:
// {"stream":…,"revision":…,"position":…,"id":…}
const [file, name, sessions, events] = process.argv.slice(2);
if (file === undefined || name === undefined) throw new Error('usage: FILE NAME SESSIONS EVENTS');

function newEvent(detail: string): NewEvent {
  const data: EventData<'ToolCallRejected'> = {
    receiptId: 'rcp_AAAAAAAAAAAAAAAAAAAAAA',
    code: 'arguments_not_json',
    detail,
    attempt: null,
  };
  const metadata = {
    recordedAt: new Date().toISOString(),
    occurredAt: null,
    actor: { principal: 'service:writer', keyId: 'key1' },
    correlationId: null,
    causationId: null,
    traceparent: null,
  };
  return { id: uuidV7(Date.now()), type: 'ToolCallRejected', version: 1, data, metadata };
}

async function session(store: SqliteEventStore, stream: string, count: number): Promise<void> {
  for (let index = 0; index < count; index++) {
    const event = newEvent(`${stream} ${index} ${'x'.repeat(1000)}`);
    const expected = index === 0 ? 'no_stream' : BigInt(index - 1);
    const { revision, position } = await store.append({ stream, expected, events: [event] });
    process.stdout.write(`${JSON.stringify({ stream, revision: String(revision), position: String(position), id: event.id })}\n`);
  }
}

const registry = new UpcastingRegistry({ types: CURRENT_VERSIONS, steps: LEDGER_STEPS });
const store = await openSqliteEventStore({ file, registry, maxWaitMs: 30_000 });
await Promise.all(Array.from({ length: Number(sessions) }, (_, index) => session(store, `${name}-${index}`, Number(events))));
await store.close();
