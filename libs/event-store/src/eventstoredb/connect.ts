import { randomBytes } from 'node:crypto';
import { setMaxListeners } from 'node:events';
import { StoreUnavailableError } from '../errors.js';
import { Listeners } from '../listeners.js';
import type { SealingRules } from '../sealing.js';
import { AppendSettler } from './append-settler.js';
import type { WireAppend } from './append-settler.js';
import { Appender } from './appender.js';
import { Calls } from './calls.js';
import { leaseClient } from './client-pool.js';
import type { ClientLease } from './client-pool.js';
import { readConnectionString } from './connection-string.js';
import { LedgerFacts } from './ledger-facts.js';
import { refuseNeighbours } from './neighbours.js';
import { NewestEvent } from './newest-event.js';
import { prefixOf, sealGraceOf, timingOf } from './options.js';
import type { EventStoreDbOptions } from './options.js';
import { Places } from './places.js';
import { Restorer } from './restorer.js';
import { Retrying } from './retrying.js';
import { SealWatch } from './seal-watch.js';
import { EventStoreDbStore } from './store.js';
import { StreamHeads } from './stream-heads.js';
import { StreamReader } from './stream-reader.js';

type CallsUnder = (prefix: string) => Calls;

const QUEUED_BYTES = 64 * 1024 * 1024;

/** See `openEventStoreDb`. */
export async function connect(options: EventStoreDbOptions): Promise<EventStoreDbStore> {
  prefixOf(options);
  const connection = readConnectionString(options.connectionString);
  const lease = leaseClient(connection.connectionString);
  const closing = new AbortController();
  // Each call and each subscription listens to it.
  setMaxListeners(0, closing.signal);
  try {
    const callsUnder: CallsUnder = (prefix) => new Calls(lease, connection.appendCredentials, timingOf(options), prefix, closing.signal);
    return await assemble(options, callsUnder, () => shutDown(closing, lease));
  } catch (error) {
    await shutDown(closing, lease);
    throw error;
  }
}

async function shutDown(closing: AbortController, lease: ClientLease): Promise<void> {
  closing.abort(new StoreUnavailableError('the store is closed'));
  await lease.release();
}

async function assemble(options: EventStoreDbOptions, callsUnder: CallsUnder, end: () => Promise<void>): Promise<EventStoreDbStore> {
  const timing = timingOf(options);
  const prefix = prefixOf(options);
  const calls = callsUnder(prefix);
  const heads = new StreamHeads();
  const known: { newest: NewestEvent | null; appender: Appender | null; seal: SealWatch | null } = {
    newest: null,
    appender: null,
    seal: null,
  };
  const onFault = (error: unknown): void => {
    options.onFault?.(error);
  };
  // When the connection is back, the store behind it may be another: one restored from a backup, for instance.
  const onBroken = (): void => {
    heads.clear();
    known.newest?.doubt();
    known.seal?.forget();
  };
  const onPassing = (error: unknown): void => {
    onBroken();
    onFault(error);
  };
  const retrying = new Retrying(timing, calls.closing, onPassing);
  const streams = new StreamReader(calls, retrying);
  const seal = new SealWatch(streams, timing.sealCheckMs);
  known.seal = seal;
  const isStored = async (append: WireAppend): Promise<boolean> => (await known.appender?.isStored(append)) ?? false;
  const stopping = new AbortController();
  setMaxListeners(0, stopping.signal);
  const settler = new AppendSettler({ calls, prefix, timing, isStored, onPassing, stopping: stopping.signal });
  const { create = true, createEpoch = () => randomBytes(8).toString('hex') } = options;
  const checkPlace = (): Promise<void> => refuseNeighbours({ callsUnder, retrying, prefix });
  const ledger = await LedgerFacts.open({ streams, settler, checkPlace }, create ? createEpoch : null);
  const newest = new NewestEvent(calls, retrying, ledger.position);
  known.newest = newest;
  // Says at once, and not at the first subscription, if the user may not read everything (stack.md, EventStoreDB row 8).
  await newest.head();
  const { registry, schemas, queuedBytes = QUEUED_BYTES } = options;
  const rules: SealingRules = schemas === undefined ? { registry } : { registry, schemas };
  const listeners = new Listeners();
  const told = newOnly((position) => {
    listeners.tell(position);
  });
  const onClosing = (): void => {
    stopping.abort();
  };
  const restorer = new Restorer({ settler, streams, heads, newest, seal, onStored: told });
  const appender = new Appender({ settler, streams, heads, newest, seal, restorer, registry, queuedBytes, onStored: told, onClosing });
  known.appender = appender;
  const places = new Places(calls, retrying, ledger.position);
  const subscription = { calls, places, newest, prefix, timing, onFault, onBroken, onEvent: told };
  const parts = { rules, ledger, appender, streams, heads, newest, places, retrying, listeners, subscription };
  return new EventStoreDbStore({ ...parts, sealGraceMs: sealGraceOf(timing), shutDown: end });
}

/** An event is met twice: where it was appended, and by each subscription. */
function newOnly(tell: (position: bigint) => void): (position: bigint) => void {
  let newest = -1n;
  return (position) => {
    if (position <= newest) return;
    newest = position;
    tell(position);
  };
}
