import { makeFirstKey, openLedger, readSettings, type Ledger, type Settings } from '@counterfoil/ledger';
import { createLogger } from './runtime/logger.js';
import { startServer, type RunningServer } from './server.js';

/** A server that can't stop in this time is left to the operating system. */
const STOP_WITHIN_MS = 15_000;

async function main(): Promise<void> {
  // Receipts are their tenants' matter: the files are made for the owner alone.
  process.umask(0o077);
  const settings = readSettings(process.env);
  const ledger = await openLedger(settings, { createKeys: true });
  const adminKeyFile = await makeFirstKey(ledger.access, settings.keysDirectory);
  const server = await startServer(ledger, settings, createLogger(settings.log));
  process.stdout.write(welcome(server.url, settings, adminKeyFile));
  stopOnSignals(server, ledger);
}

function welcome(url: string, settings: Settings, adminKeyFile: string | null): string {
  const key = adminKeyFile ?? `${settings.keysDirectory}/admin.key`;
  return [
    '',
    `  Counterfoil is running at ${url}`,
    `  Ledger:          ${settings.eventsFile}`,
    `  First admin key: ${key}${adminKeyFile === null ? '' : ' (made now, mode 0600)'}`,
    '',
    '  Next, in another terminal:  npm run demo',
    '',
    '',
  ].join('\n');
}

function stopOnSignals(server: RunningServer, ledger: Ledger): void {
  let stopping = false;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
    server
      .stop()
      .then(() => ledger.close())
      .then(() => {
        process.exitCode = 0;
      }, fail);
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

function fail(error: unknown): void {
  const known = error instanceof Error && 'code' in error && typeof error.code === 'string';
  process.stderr.write(
    known ? `counterfoil: ${error.message}\n` : `counterfoil: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`,
  );
  process.exitCode = 1;
}

main().catch(fail);
