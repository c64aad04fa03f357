import type { Command } from 'commander';
import { uuidV7 } from '@counterfoil/canonical';
import { SessionId, UserId, WorkspaceId } from '@counterfoil/contracts';
import { HistoryImportError, IMPORT_FORMATS, importPaths, type PathsReport } from '@counterfoil/history';
import { CliError } from '../cli-error.js';
import { printImport, showImportProgress } from '../import-report.js';
import { endProgress, printJson } from '../output.js';
import { withLedger } from '../with-ledger.js';

interface ImportFlags {
  readonly format: string;
  readonly dryRun?: boolean;
  readonly workspace: string;
  readonly user?: string;
  readonly session?: string;
  readonly json?: boolean;
}

const STDIN = '-';

export function addImport(program: Command): void {
  program
    .command('import')
    .description("read old receipts into the ledger (opens the ledger's stores, beside a running server)")
    .argument('<path...>', 'files or folders: JSON lines, JSON documents or SQLite databases, also in gzip; - for standard input')
    .option('--format <name>', `what they hold: ${IMPORT_FORMATS.join(', ')}`, 'auto')
    .option('--dry-run', 'say what an import would do, and store nothing')
    .option('--workspace <id>', 'the workspace that they go into', 'default')
    .option('--user <id>', 'the user of records that name none')
    .option('--session <id>', 'the session of records that name none')
    .option('--json', 'print the report as JSON')
    .addHelpText('after', '\nExit code: 0, 1 if a file could not be read to its end, 2 for a wrong use, 130 if interrupted.')
    .action(async (paths: string[], flags: ImportFlags) => {
      check(flags);
      const report = await run(paths, flags);
      if (flags.json === true) printJson(report);
      else printImport(report, flags.workspace);
      if (report.total.interrupted) process.exitCode = 130;
      else if (report.files.some(({ error }) => error !== null)) process.exitCode = 1;
    });
}

/** @throws CliError 2 for a value that no import could use */
function check({ format, workspace, user, session }: ImportFlags): void {
  if (!(IMPORT_FORMATS as readonly string[]).includes(format))
    throw new CliError(`--format: there is no such format; known are ${IMPORT_FORMATS.join(' and ')}`, 2);
  if (!WorkspaceId.safeParse(workspace).success) throw new CliError('--workspace must match [a-z0-9][a-z0-9-]{0,62}', 2);
  if (user !== undefined && !UserId.safeParse(user).success) throw new CliError('--user is no user id', 2);
  if (session !== undefined && !SessionId.safeParse(session).success) throw new CliError('--session is no session id', 2);
}

async function run(paths: readonly string[], flags: ImportFlags): Promise<PathsReport> {
  const { format, dryRun = false, workspace, user = null, session = null } = flags;
  try {
    return await withLedger(
      (ledger, signal) =>
        importPaths(paths, {
          store: ledger.store,
          workspaceId: workspace,
          actor: { principal: 'service:import', keyId: 'local' },
          importKey: ledger.keys.importKey,
          importRun: uuidV7(Date.now()),
          given: { userId: user, sessionId: session },
          format,
          dryRun,
          stdin: standardInput(),
          onProgress: showImportProgress,
          signal,
          now: Date.now,
        }),
      { create: true },
    );
  } catch (error) {
    throw error instanceof HistoryImportError ? stopped(error) : error;
  } finally {
    endProgress();
    // A read that is still waiting would keep the process.
    if (paths.includes(STDIN)) process.stdin.destroy();
  }
}

/** Opened only when it is read. */
async function* standardInput(): AsyncGenerator<Uint8Array> {
  yield* process.stdin as AsyncIterable<Uint8Array>;
}

function stopped({ message, report }: HistoryImportError): CliError {
  const done = report.read === 0 ? '' : ` ${String(report.read)} records are done; run the same command again, and it goes on there.`;
  return new CliError(`${message}${done}`);
}
