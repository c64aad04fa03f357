import type { Command } from 'commander';
import { MAIN_SET, type Ledger } from '@counterfoil/ledger';
import { compareSets, readPositions, type RebuildProgress } from '@counterfoil/projections';
import { duration, endProgress, print, printProgress, table } from '../output.js';
import { withLedger } from '../with-ledger.js';

export function addRebuild(program: Command): void {
  program
    .command('rebuild')
    .description("build the read models from zero beside the live ones, then switch (opens the ledger's stores, beside a running server)")
    .option('--compare', 'tell whether the rebuilt documents equal the ones before, byte for byte')
    .action(async ({ compare }: { compare?: boolean }) => {
      await withLedger((ledger, signal) => rebuild(ledger, signal, compare === true));
    });
}

async function rebuild(ledger: Ledger, signal: AbortSignal, compare: boolean): Promise<void> {
  const result = await ledger.engine.rebuild({ signal, onProgress: showProgress }).finally(endProgress);
  const rate = (result.events / Math.max(result.seconds, 0.001)).toFixed(0);
  print(
    `generation ${String(result.generation)} took the place of ${String(result.replaced)}: ${String(result.events)} events in ` +
      `${duration(result.seconds)} (${rate}/s)${result.resumed ? ', resumed' : ''}`,
  );
  if (compare) await printComparison(ledger, result.replaced, result.generation);
}

async function printComparison(ledger: Ledger, before: number, after: number): Promise<void> {
  if ((await readPositions(ledger.docs, MAIN_SET, before, ledger.partitions)) === null) {
    print('nothing to compare with: nobody had built the read models before');
    return;
  }
  const comparison = await compareSets(ledger.docs, MAIN_SET, before, after, ledger.partitions);
  const { compared, newer, differenceCount, differences } = comparison;
  print(
    `compared ${String(compared)} documents: ${differenceCount === 0 ? 'byte-equal' : `${String(differenceCount)} differ`}; ${String(newer)} newer`,
  );
  if (comparison.isEqual) return;
  print(
    table(
      ['projection', 'document', 'kind'],
      differences.map(({ projection, id, kind }) => [projection, id, kind]),
    ),
  );
  process.exitCode = 3;
}

function showProgress({ position, head, eventsPerSecond, etaSeconds }: RebuildProgress): void {
  printProgress(`position ${String(position)} of ${String(head)}, ${eventsPerSecond.toFixed(0)} events/s, ${duration(etaSeconds)} left`);
}
