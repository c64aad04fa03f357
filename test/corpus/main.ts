/**
 * `npm run corpus -- FOLDER`: imports each record of a corpus into a ledger of its own and prints where our reading agrees with its
 * `expected.json`, and where it differs and why. Ends with 1 if a difference has no reason.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compare } from './compare.js';
import { readCorpus } from './expected.js';
import { importInto } from './reading.js';

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

async function main(folder: string): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'counterfoil-corpus-'));
  const counts = { agree: 0, explained: 0, differ: 0 };
  try {
    for (const record of readCorpus(folder)) {
      const differences = compare(record, await importInto(join(scratch, `${record.name}.db`), record.path));
      const isOpen = differences.some(({ because }) => because === null);
      const verdict = differences.length === 0 ? 'agree' : isOpen ? 'differ' : 'explained';
      counts[verdict]++;
      say(`${verdict.padEnd(9)} ${record.name}`);
      for (const { key, expected, ours, because } of differences) {
        say(
          `          ${key}: expected ${JSON.stringify(expected)}, ours ${JSON.stringify(ours)}${because === null ? '' : ` (${because})`}`,
        );
      }
    }
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
  say(`${String(counts.agree)} agree, ${String(counts.explained)} differ for a stated reason, ${String(counts.differ)} differ`);
  if (counts.differ > 0) process.exitCode = 1;
}

const [folder] = process.argv.slice(2);
if (folder === undefined) {
  process.stderr.write('usage: npm run corpus -- FOLDER (records as *.json, and expected.json beside them)\n');
  process.exitCode = 2;
} else {
  await main(folder);
}
