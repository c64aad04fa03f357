import type { Command } from 'commander';
import { WorkspaceId, type ImportDocument, type QuarantineDocument } from '@counterfoil/contracts';
import type { ReadModels } from '@counterfoil/ledger';
import { countQuarantined, findImports, findQuarantined, getImport, type FoundPage } from '@counterfoil/read-models';
import { safeDisplay } from '@counterfoil/redaction';
import { caughtUp } from '../caught-up.js';
import { CliError } from '../cli-error.js';
import { duration, print, printJson, printPage, table } from '../output.js';
import { withLedger } from '../with-ledger.js';

interface PageOptions {
  readonly workspace: string;
  readonly limit: string;
  readonly cursor?: string;
  readonly json?: boolean;
}

interface ShowOptions extends PageOptions {
  readonly reason?: string;
  readonly records?: boolean;
}

const MOST = 200;
const DETAIL_WIDTH = 90;

export function addImports(program: Command): void {
  const imports = program
    .command('imports')
    .description("list imports, or show what one put aside (opens the ledger's stores, beside a running server)");
  const paged = (command: Command): Command =>
    command
      .option('--workspace <id>', 'the workspace that they went into', 'default')
      .option('--limit <n>', `at most so many, 1 to ${String(MOST)}`, '50')
      .option('--cursor <cursor>', 'go on after the page that gave this')
      .option('--json', 'print JSON');
  paged(imports.command('list', { isDefault: true }).description('list the imports that added something, newest first')).action(list);
  paged(imports.command('show').description('show an import, and the records that it put aside').argument('<run>', 'the name of an import'))
    .option('--reason <code>', 'only those that were put aside for this')
    .option('--records', 'print the records too, as they are stored: redacted and cut')
    .action(show);
}

async function list(options: PageOptions): Promise<void> {
  const wanted = pageOf(options);
  const page = await reading(options, (models, scope) => findImports(models.imports, scope, wanted));
  if (options.json === true) printJson(page);
  else printPage(importTable(page.items), page);
}

async function show(run: string, options: ShowOptions): Promise<void> {
  const { reason } = options;
  const wanted = pageOf(options);
  const [found, quarantined] = await reading(options, async (models, scope) => {
    const doc = await getImport(models.imports, scope, run);
    // One that was killed before its end has left nothing but its records.
    if (doc === null && (await countQuarantined(models.quarantine, scope, run)) === 0) {
      throw new CliError(`There is no import ${safeDisplay(run)} in this workspace that added something.`);
    }
    return [doc, await findQuarantined(models.quarantine, scope, { run, reason }, wanted)] as const;
  });
  if (options.json === true) printJson({ import: found, quarantined: withRecords(quarantined, options.records === true) });
  else printImport(run, found, quarantined, options.records === true);
}

async function reading<T>(
  { workspace }: PageOptions,
  task: (models: ReadModels, scope: { readonly workspaceId: string }) => Promise<T>,
): Promise<T> {
  if (!WorkspaceId.safeParse(workspace).success) throw new CliError('--workspace must match [a-z0-9][a-z0-9-]{0,62}', 2);
  return withLedger(async (ledger, signal) => task(await caughtUp(ledger, signal), { workspaceId: workspace }));
}

function pageOf({ limit, cursor }: PageOptions): { readonly limit: number; readonly cursor: string | undefined } {
  const wanted = Number(limit);
  if (!Number.isInteger(wanted) || wanted < 1 || wanted > MOST) throw new CliError(`--limit must be 1 to ${String(MOST)}`, 2);
  return { limit: wanted, cursor };
}

function importTable(imports: readonly ImportDocument[]): string {
  const rows = imports.map((doc) => {
    const { read, imported, duplicate, derivedCopy, notAReceipt, quarantined } = doc.totals;
    const counts = [read, imported, duplicate, derivedCopy, notAReceipt, quarantined].map(String);
    return [doc.importRun, doc.finishedAt, doc.by, ...counts, endOf(doc)];
  });
  return table(
    ['import', 'ended', 'by', 'read', 'imported', 'duplicate', 'derived copy', 'not a receipt', 'quarantined', ''],
    rows,
    DETAIL_WIDTH,
  );
}

function endOf({ interrupted, failedInputs, inputs }: ImportDocument): string {
  if (interrupted) return 'interrupted';
  return failedInputs === 0 ? '' : `${String(failedInputs)} of ${String(inputs)} inputs failed`;
}

function printImport(run: string, found: ImportDocument | null, { items, nextCursor }: FoundPage<QuarantineDocument>, full: boolean): void {
  if (found === null) print(`${safeDisplay(run)} has no end: it was killed, or it runs.`);
  else {
    print(importTable([found]));
    for (const [reason, count] of Object.entries(found.reasons)) print(`quarantined, ${reason}: ${String(count)}`);
    print(`${String(found.bytes)} bytes in ${duration(found.milliseconds / 1000)}`);
  }
  const rows = items.map((item) => [placeOf(item), item.member, item.reason, item.detail]);
  print('');
  printPage(table(['where', 'member', 'reason', 'detail'], rows, DETAIL_WIDTH), { nextCursor });
  if (!full) return;
  for (const item of items) print(`\n${placeOf(item)}: ${safeDisplay(item.record.json)}`);
}

function placeOf({ line, byteOffset, table: name, row }: QuarantineDocument): string {
  if (line !== null) return `line ${String(line)}${byteOffset === null ? '' : `, byte ${String(byteOffset)}`}`;
  if (name !== null) return `${name}${row === null ? '' : `, row ${row}`}`;
  return '-';
}

function withRecords(page: FoundPage<QuarantineDocument>, full: boolean): object {
  if (full) return page;
  return { ...page, items: page.items.map(({ record: _record, ...rest }) => rest) };
}
