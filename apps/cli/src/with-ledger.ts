import { openLedger, readSettings, type Ledger } from '@counterfoil/ledger';

/**
 * Opens the ledger's files in this process, beside a running server, and closes them after the task. The signal aborts at Ctrl-C, so
 * that long work stops between two steps.
 */
export async function withLedger<T>(task: (ledger: Ledger, signal: AbortSignal) => Promise<T>): Promise<T> {
  const ledger = await openLedger(readSettings(process.env), { createKeys: true });
  const interrupted = new AbortController();
  const stop = (): void => {
    interrupted.abort();
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  try {
    return await task(ledger, interrupted.signal);
  } finally {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
    await ledger.close();
  }
}
