import { CURRENT_VERSIONS } from '@counterfoil/contracts';
import { LEDGER_STEPS, openSqliteEventStore, UpcastingRegistry } from '@counterfoil/event-store';
import type { EventStore } from '@counterfoil/event-store';
import { RECEIPT_IMPORTED_V1 } from '../openkyrozen/receipt-imported-v1.js';
import { CONTEXT } from '../testing/import-context.js';
import { importPaths } from './import-paths.js';

// A process that imports: STORE RUN TELL PATH…. It prints a line when it begins its append number TELL, and the report at the end.
const [file, importRun, tell, ...paths] = process.argv.slice(2);
if (file === undefined || importRun === undefined) throw new Error('usage: STORE RUN TELL PATH…');

const registry = new UpcastingRegistry({ types: CURRENT_VERSIONS, steps: [...LEDGER_STEPS, RECEIPT_IMPORTED_V1] });
const opened = await openSqliteEventStore({ file, registry });
let appends = 0;
const store: EventStore = Object.create(opened, {
  append: {
    value: (request: Parameters<EventStore['append']>[0]) => {
      if (++appends === Number(tell)) process.stdout.write('now\n');
      return opened.append(request);
    },
  },
}) as EventStore;
const { total } = await importPaths(paths, { ...CONTEXT, importRun, store, stdin: process.stdin });
process.stdout.write(`${JSON.stringify(total)}\n`);
await opened.close();
