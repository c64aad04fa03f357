import { LedgerMissingError } from '@counterfoil/event-store';
import {
  namingSettings,
  openEventStore,
  openLedger,
  readSettings,
  refuseUnfinished,
  shownLocation,
  type Ledger,
  type LedgerStore,
  type Settings,
} from '@counterfoil/ledger';
import { CliError } from './cli-error.js';
import { interruptible } from './interruptible.js';

interface WithLedgerOptions {
  /**
   * Whether a ledger, and its keys, may be made in a file where there is none; default false: who mistyped an address is told, and not
   * that an empty ledger is whole. In EventStoreDB none is made from here: the keys would be those of this machine alone.
   */
  readonly create?: boolean;
}

/**
 * Opens the ledger's stores in this process, beside a running server, and closes them after the task. The signal aborts at Ctrl-C, so
 * that long work stops between two steps.
 *
 * @throws CliError where there is no ledger; as `openLedger`
 */
export async function withLedger<T>(
  task: (ledger: Ledger, signal: AbortSignal) => Promise<T>,
  { create = false }: WithLedgerOptions = {},
): Promise<T> {
  const settings = readSettings(process.env);
  const make = create && settings.events.kind === 'sqlite';
  const ledger = await opened(settings, () => openLedger(settings, { createKeys: make, builds: true, create: make }));
  try {
    return await interruptible((signal) => task(ledger, signal));
  } finally {
    await ledger.close();
  }
}

/**
 * The same with the events alone, for who needs neither keys nor read models.
 *
 * @throws CliError where there is no ledger; LedgerStartError `copy_unfinished`; as `openEventStore`
 */
export async function withEvents<T>(task: (store: LedgerStore, signal: AbortSignal) => Promise<T>): Promise<T> {
  const settings = readSettings(process.env);
  const store = await opened(settings, () => openEventStore(settings.events, { create: false }));
  try {
    refuseUnfinished(store);
    return await interruptible((signal) => task(store, signal));
  } finally {
    await store.close();
  }
}

async function opened<T>({ events }: Settings, open: () => Promise<T>): Promise<T> {
  try {
    return await namingSettings(open);
  } catch (error) {
    if (!(error instanceof LedgerMissingError)) throw error;
    const place = events.kind === 'sqlite' ? shownLocation(events) : `${shownLocation(events)} under the prefix ${events.streamPrefix}`;
    const settings = events.kind === 'sqlite' ? 'COUNTERFOIL_EVENTS' : 'COUNTERFOIL_EVENTS and COUNTERFOIL_STREAM_PREFIX';
    throw new CliError(`ledger_missing: there is no ledger at ${place}, and none was made: see ${settings}.`);
  }
}
