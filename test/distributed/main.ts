/**
 * `npm run distributed`: two servers and two projectors over EventStoreDB's and MongoDB's wire, 10,000 tool calls onto shared sessions, while
 * a projector is killed, another one stopped past its lease with a bulk under way, and one connection breaks each second. Ends with exit
 * code 1 if anything was lost, doubled, went back or differs.
 *
 * `--calls N`, `--sessions N`, `--at-once N`; `--seconds N` spreads the calls over so much time at least.
 * Needs a JDK and Maven for the MongoDB-wire server (test/mongo/README.md).
 */
import { pathToFileURL } from 'node:url';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT } from '../support/server-process.js';
import { distributedRun } from './run.js';

interface WireServers {
  lacks(name: string): string | null;
  install(name: string): Promise<void>;
  start(name: string): Promise<{ readonly url: string; stop(): Promise<void> }>;
}

const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '10000' },
    sessions: { type: 'string', default: '40' },
    'at-once': { type: 'string', default: '32' },
    seconds: { type: 'string', default: '60' },
  },
});

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const wire = (await import(pathToFileURL(join(ROOT, 'scripts/mongo/servers.mjs')).href)) as WireServers;
const missing = wire.lacks('A');
if (missing !== null) {
  say(`The run needs ${missing} for its MongoDB-wire server.`);
  process.exit(2);
}
await wire.install('A');
const server = await wire.start('A');
try {
  const { faults, figures } = await distributedRun({
    mongoUrl: server.url,
    calls: Number(values.calls),
    sessions: Number(values.sessions),
    atOnce: Number(values['at-once']),
    seconds: Number(values.seconds),
    say,
  });
  for (const [what, figure] of Object.entries(figures)) say(`${what}: ${String(figure)}`);
  for (const fault of faults.slice(0, 20)) say(`FAULT: ${fault}`);
  say(faults.length === 0 ? 'distributed: nothing was lost, doubled or went back' : `distributed: ${String(faults.length)} faults`);
  process.exitCode = faults.length === 0 ? 0 : 1;
} finally {
  await server.stop();
}
