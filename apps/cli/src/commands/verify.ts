import type { Command } from 'commander';
import { verifyStore, type VerifyReport } from '@counterfoil/event-store';
import type { LedgerStore } from '@counterfoil/ledger';
import { endProgress, print, printJson, printProgress, table } from '../output.js';
import { withEvents } from '../with-ledger.js';

export function addVerify(program: Command): void {
  program
    .command('verify')
    .description("check the hash chain of every stream (opens the ledger's stores, beside a running server)")
    .option('--json', 'print the report as JSON')
    .action(async ({ json }: { json?: boolean }) => {
      const report = await withEvents(verify);
      if (json === true) printJson({ ...report, position: report.position.toString() });
      else printReport(report);
      // 3 says "something is wrong with the ledger", apart from "could not run" (1) and "wrong use" (2).
      if (!report.ok) process.exitCode = report.complete ? 3 : 130;
    });
}

async function verify(store: LedgerStore, signal: AbortSignal): Promise<VerifyReport> {
  try {
    return await verifyStore(store, {
      signal,
      onProgress: (rate, position, total) => {
        printProgress(`position ${String(position)} of ${String(total)}, ${rate.toFixed(0)} events/s`);
      },
    });
  } finally {
    endProgress();
  }
}

function printReport(report: VerifyReport): void {
  print(`${String(report.events)} events in ${String(report.streams)} streams: ${report.ok ? 'every chain holds' : 'NOT WHOLE'}`);
  if (report.faults.length > 0) {
    const rows = report.faults.map((fault) => [fault.kind, fault.stream, String(fault.revision), String(fault.position), fault.detail]);
    print(table(['fault', 'stream', 'revision', 'position', 'detail'], rows, 80));
    print(`${String(report.faultCount)} faults in all`);
  }
  if (!report.complete) print('Interrupted: not everything was looked at.');
}
