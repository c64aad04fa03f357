import type { Command } from 'commander';
import { uuidV7 } from '@counterfoil/canonical';
import { WorkspaceId } from '@counterfoil/contracts';
import { importLines, type ImportProgress, type ImportReport } from '@counterfoil/history';
import { CliError } from '../cli-error.js';
import { duration, endProgress, print, printJson, printProgress, table } from '../output.js';
import { withLedger } from '../with-ledger.js';

export function addImport(program: Command): void {
  program
    .command('import')
    .description("read old receipts into the ledger (opens the ledger's file, beside a running server)")
    .argument('<file>', 'JSON lines: OpenKyrozen event rows')
    .option('--workspace <id>', 'the workspace that they go into', 'default')
    .option('--json', 'print the report as JSON')
    .action(async (file: string, { workspace, json }: { workspace: string; json?: boolean }) => {
      if (!WorkspaceId.safeParse(workspace).success) throw new CliError('--workspace must match [a-z0-9][a-z0-9-]{0,62}', 2);
      const report = await importFile(file, workspace);
      if (json === true) printJson(report);
      else printReport(report);
      if (report.interrupted) process.exitCode = 130;
    });
}

async function importFile(file: string, workspaceId: string): Promise<ImportReport> {
  return withLedger(async (ledger, signal) => {
    try {
      return await importLines(file, {
        store: ledger.store,
        workspaceId,
        actor: { principal: 'service:import', keyId: 'local' },
        importKey: ledger.keys.importKey,
        importRun: uuidV7(Date.now()),
        onProgress: showProgress,
        signal,
        now: Date.now,
      });
    } finally {
      endProgress();
    }
  });
}

function showProgress({ bytes, totalBytes, records, recordsPerSecond, secondsLeft }: ImportProgress): void {
  const share = totalBytes === null || totalBytes === 0 ? `${String(bytes)} bytes` : `${((100 * bytes) / totalBytes).toFixed(1)} %`;
  printProgress(`${share}, ${String(records)} records, ${recordsPerSecond.toFixed(0)}/s, ${duration(secondsLeft)} left`);
}

function printReport(report: ImportReport): void {
  const rows = [
    ['imported', report.imported],
    ['duplicate', report.duplicate],
    ['derived copy', report.derivedCopy],
    ['not a receipt', report.notAReceipt],
    ['quarantined', report.quarantined],
    ['records read', report.read],
  ] as const;
  print(
    table(
      ['', 'records'],
      rows.map(([name, count]) => [name, String(count)]),
    ),
  );
  for (const [reason, count] of Object.entries(report.reasons)) print(`quarantined, ${reason}: ${String(count)}`);
  print(`events added: ${String(report.eventsAdded)}; ${duration(report.milliseconds / 1000)}; run ${report.importRun}`);
  if (report.interrupted) print('Interrupted: run the same command again, and it goes on where it stopped.');
}
