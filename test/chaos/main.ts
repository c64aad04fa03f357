/**
 * `npm run chaos`: kills the server while 64 sessions write (twenty times), and lets two processes race over approvals (10,000 times).
 * `--short` is the version for CI; `--only kill|race` runs one. Ends with exit code 1 if anything was lost, doubled or differs.
 */
import { killRounds } from './kill.js';
import { raceOverApprovals } from './race.js';

const short = process.argv.includes('--short');
const only = process.argv.includes('--only') ? process.argv[process.argv.indexOf('--only') + 1] : undefined;

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const faults: string[] = [];
if (only === undefined || only === 'kill') faults.push(...(await killRounds({ rounds: short ? 3 : 20, writers: 64, say })));
if (only === undefined || only === 'race') faults.push(...(await raceOverApprovals({ approvals: short ? 500 : 10_000, say })));
for (const fault of faults.slice(0, 20)) say(`FAULT: ${fault}`);
say(faults.length === 0 ? 'chaos: nothing was lost, doubled or changed' : `chaos: ${String(faults.length)} faults`);
process.exitCode = faults.length === 0 ? 0 : 1;
