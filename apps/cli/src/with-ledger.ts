import { openLedger, readSettings, type Ledger } from '@counterfoil/ledger';
import { interruptible } from './interruptible.js';

/**
 * Opens the ledger's stores in this process, beside a running server, and closes them after the task. The signal aborts at Ctrl-C, so
 * that long work stops between two steps.
 */
export async function withLedger<T>(task: (ledger: Ledger, signal: AbortSignal) => Promise<T>): Promise<T> {
  const ledger = await openLedger(readSettings(process.env), { createKeys: true, builds: true });
  try {
    return await interruptible((signal) => task(ledger, signal));
  } finally {
    await ledger.close();
  }
}
