/**
 * `npm run model`: plays random histories of up to 200 commands against the reference model. `-- --histories 10000 --seed 1 --skip 500`;
 * without a seed it explores, and says which one it took. Ends with exit code 1 if anything went wrong.
 */
import { parseArgs } from 'node:util';
import { MAIN_SET } from '@counterfoil/ledger';
import { decide } from '@counterfoil/session';
import { MODELLED } from '@counterfoil/testing';
import { longRun } from './long-run.js';

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const option = { type: 'string' } as const;
const { values } = parseArgs({ options: { histories: option, seed: option, skip: option } });

function numberOf(name: 'histories' | 'seed' | 'skip', usual: number): number {
  const text = values[name];
  if (text === undefined) return usual;
  if (!/^[0-9]{1,9}$/.test(text)) throw new Error(`--${name} must be a whole number`);
  return Number(text);
}

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    stop.abort();
  });
}

const missing = MAIN_SET.projections.filter((projection) => !MODELLED.includes(projection));
if (missing.length > 0) throw new Error(`the model keeps no ${missing.map(({ name }) => name).join(', ')}`);

const report = await longRun({
  decider: decide,
  seed: numberOf('seed', Date.now() % 1_000_000_000),
  skip: numberOf('skip', 0),
  histories: numberOf('histories', 10_000),
  faults: 5,
  signal: stop.signal,
  say,
  everyMs: 5000,
});
if (report.histories >= 500 && report.unmet.length > 0) say(`model: not met: ${report.unmet.join(', ')}`);
say(report.faults === 0 ? 'model: every history did what the reference does' : `model: ${String(report.faults)} faults`);
process.exitCode = report.faults === 0 ? 0 : 1;
