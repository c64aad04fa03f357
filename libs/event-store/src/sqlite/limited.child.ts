import { uuidV7 } from '@counterfoil/canonical';
import { CURRENT_VERSIONS } from '@counterfoil/contracts';
import type { EventData } from '@counterfoil/contracts';
import { UpcastingRegistry } from '../upcasting/registry.js';
import { LEDGER_STEPS } from '../upcasting/steps/index.js';
import { openSqliteEventStore } from './store.js';

// A process that appends until the system refuses to make the file longer, in the middle of a commit: FILE. A line on stdout for each
// append: {"id":…,"code":…}, code null where it was acknowledged. It retries the failed one once more.
const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('usage: FILE');
process.on('SIGXFSZ', () => undefined);
const registry = new UpcastingRegistry({ types: CURRENT_VERSIONS, steps: LEDGER_STEPS });
const store = await openSqliteEventStore({ file, registry });
let failures = 0;
for (let index = 0; failures < 2 && index < 1000; index++) {
  const id = uuidV7(Date.now());
  const data: EventData<'ToolCallRejected'> = {
    receiptId: 'rcp_AAAAAAAAAAAAAAAAAAAAAA',
    code: 'x',
    detail: 'x'.repeat(20_000),
    attempt: null,
  };
  const actor = { principal: 'service:writer', keyId: 'key1' };
  const metadata = {
    recordedAt: '2027-01-01T00:00:00Z',
    occurredAt: null,
    actor,
    correlationId: null,
    causationId: null,
    traceparent: null,
  };
  const events = [{ id, type: 'ToolCallRejected', version: 1, data, metadata }];
  let code: unknown = null;
  try {
    await store.append({ stream: `s${index}`, expected: 'no_stream', events });
  } catch (error) {
    failures++;
    code = error instanceof Error && 'code' in error ? error.code : String(error);
  }
  process.stdout.write(`${JSON.stringify({ stream: `s${index}`, id, code })}\n`);
}
