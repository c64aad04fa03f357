import { CURRENT_VERSIONS } from '@counterfoil/contracts';
import { UpcastingRegistry } from '../upcasting/registry.js';
import { LEDGER_STEPS } from '../upcasting/steps/index.js';
import { openSqliteEventStore } from './store.js';

// A process that waits for events for a moment, listens on, and then has nothing more to do: FILE. It must end by itself, although it
// neither closes the store nor takes its listener away.
const [file] = process.argv.slice(2);
if (file === undefined) throw new Error('usage: FILE');
const registry = new UpcastingRegistry({ types: CURRENT_VERSIONS, steps: LEDGER_STEPS });
const store = await openSqliteEventStore({ file, registry });
store.onAppended(() => undefined);
const abort = new AbortController();
setTimeout(() => {
  abort.abort();
}, 50);
for await (const batch of store.subscribeAll({ after: null, signal: abort.signal })) process.stdout.write(`${String(batch.caughtUp)}\n`);
process.stdout.write('"done"\n');
