import { openLedger, readSettings, type Ledger } from '@counterfoil/ledger';
import { createLogger } from './logger.js';
import { Faults, startProjector, type Projector } from './projector.js';

/** A projector that can't stop in this time is left to the operating system; its partitions go to others when its lease has run out. */
const STOP_WITHIN_MS = 15_000;

async function main(): Promise<void> {
  // Receipts are their tenants' matter: what files are made are the owner's alone.
  process.umask(0o077);
  const settings = readSettings(process.env);
  const faults = new Faults();
  // Keys are the server's to make.
  const ledger = await openLedger(settings, { createKeys: false, onFault: faults.note });
  const projector = await startProjector(ledger.engine, faults, settings, createLogger(settings.log));
  process.stdout.write(`Counterfoil projector is running at ${projector.url}\n`);
  stopOnSignals(projector, ledger);
}

function stopOnSignals(projector: Projector, ledger: Ledger): void {
  let stopping = false;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
    projector
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
  const text = error instanceof Error ? (known ? error.message : (error.stack ?? error.message)) : String(error);
  process.stderr.write(`counterfoil: ${text}\n`);
  process.exitCode = 1;
}

main().catch(fail);
