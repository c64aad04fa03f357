import type { FateCounts } from '@counterfoil/contracts';
import type { FileReport, PathsProgress, PathsReport } from '@counterfoil/history';
import { safeDisplay } from '@counterfoil/redaction';
import { duration, print, printProgress, table } from './output.js';

const FATES = ['read', 'imported', 'duplicate', 'derived copy', 'not a receipt', 'quarantined'] as const;

function counts({ read, imported, duplicate, derivedCopy, notAReceipt, quarantined }: FateCounts): string[] {
  return [read, imported, duplicate, derivedCopy, notAReceipt, quarantined].map(String);
}

/** One line: which file, how much of it, how fast, and how long it will take. */
export function showImportProgress(progress: PathsProgress): void {
  const { path, index, count, bytes, totalBytes, records, recordsPerSecond, secondsLeft } = progress;
  const file = count === 1 ? safeDisplay(path) : `${String(index + 1)} of ${String(count)}: ${safeDisplay(path)}`;
  const share = totalBytes === null || totalBytes === 0 ? `${String(bytes)} bytes` : `${((100 * bytes) / totalBytes).toFixed(1)} %`;
  printProgress(`${file}: ${share}, ${String(records)} records, ${recordsPerSecond.toFixed(0)}/s, ${duration(secondsLeft)} left`);
}

/** What became of the records: by file where there are several, by surface, and in total. */
export function printImport({ files, total }: PathsReport, workspace: string): void {
  if (files.length > 1) print(`${fileTable(files)}\n`);
  const surfaces = Object.entries(total.surfaces).map(([surface, of]) => [surface, ...counts(of)]);
  print(table(['surface', ...FATES], [...surfaces, ['in total', ...counts(total)]]));
  print('');
  for (const file of files) printNotes(file, files.length > 1);
  for (const [reason, count] of Object.entries(total.reasons)) print(`quarantined, ${reason}: ${String(count)}`);
  const { eventsAdded, milliseconds, importRun, dryRun, interrupted } = total;
  const what = dryRun ? 'a dry run: nothing was stored; events that it would add' : 'events added';
  print(`${what}: ${String(eventsAdded)}; ${duration(milliseconds / 1000)}; run ${importRun}`);
  if (total.added.quarantined > 0 && !dryRun) {
    const where = workspace === 'default' ? '' : ` --workspace ${workspace}`;
    print(`quarantined: ${String(total.quarantined)}; see counterfoil imports show ${importRun}${where}`);
  }
  if (interrupted) print('Interrupted: run the same command again, and it goes on where it stopped.');
}

function fileTable(files: readonly FileReport[]): string {
  const rows = files.map(({ path, container, compressed, report, error }) => [
    path,
    container === null ? '-' : `${container}${compressed ? ', gzip' : ''}`,
    ...counts(report),
    error?.code ?? '',
  ]);
  return table(['file', 'kind', ...FATES, 'error'], rows, 60);
}

/** What can't be seen in the counts: tables that are not read, and why a file could not be. */
function printNotes({ path, otherTables, error }: FileReport, isNamed: boolean): void {
  const name = isNamed ? `${safeDisplay(path)}: ` : '';
  const tables = Object.entries(otherTables).filter(([, rows]) => rows !== 0);
  if (tables.length > 0) {
    const list = tables.map(([table, rows]) => `${safeDisplay(table)} (${rows === null ? 'not countable' : String(rows)})`);
    print(`${name}not read: ${list.join(', ')}`);
  }
  if (error !== null) print(`${name}${error.code}: ${error.detail}`);
}
