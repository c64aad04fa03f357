import { StoreSettingsError } from '../errors.js';
import type { EventSchemas } from '../sealing.js';
import type { UpcastingRegistry } from '../upcasting/registry.js';

export interface EventStoreDbOptions {
  /** `esdb://…` or `kurrentdb://…`, with hosts, TLS, user, discovery and keep-alive as the client takes them. */
  readonly connectionString: string;
  /** Stands before every logical stream name in the server; hashes are over the name without it. Default `counterfoil.` */
  readonly streamPrefix?: string;
  readonly registry: UpcastingRegistry;
  /** Default: STORED_EVENTS of the contracts. */
  readonly schemas?: EventSchemas;
  /** False: there must be a ledger already. Default true. */
  readonly create?: boolean;
  /** Draws the epoch of a ledger that is made now: `[a-z0-9]{1,32}`. Default: random. */
  readonly createEpoch?: () => string;
  /** Hears of faults that were overcome: a connection that broke, a subscription that stood still. Errors without data. */
  readonly onFault?: (error: unknown) => void;
  /** Bytes of appends that may wait in memory; default 64 MiB. */
  readonly queuedBytes?: number;
  readonly timing?: Partial<Timing>;
}

/** In milliseconds. */
export interface Timing {
  /** How long one try of an append waits for its answer. A server whose followers lag gives up by itself after 2 s. */
  readonly appendMs: number;
  /** How long an append that got no answer is sent again before its outcome is called unknown. */
  readonly settleMs: number;
  /** How long a read may stand still between two events. */
  readonly readMs: number;
  /** How long a read that failed is tried again. */
  readonly readRetryMs: number;
  /** After so long a silence a subscription is compared with the newest event of ours. */
  readonly watchdogMs: number;
  /** How long a part of a batch waits to be filled while a subscription is catching up. */
  readonly lingerMs: number;
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
  /** For how long a look whether the ledger has ended is good. */
  readonly sealCheckMs: number;
}

const TIMING: Timing = {
  appendMs: 3000,
  settleMs: 10_000,
  readMs: 10_000,
  readRetryMs: 15_000,
  watchdogMs: 10_000,
  lingerMs: 1000,
  firstPauseMs: 50,
  longestPauseMs: 5000,
  sealCheckMs: 1000,
};

/** A server whose followers lag may write an append for so long after it has said that it could not. */
const LATE_WRITE_MS = 3000;

/** So long after a ledger was sealed an append that had looked before may still be sent again, and be written. */
export const sealGraceOf = ({ sealCheckMs, settleMs, longestPauseMs, appendMs }: Timing): number =>
  sealCheckMs + settleMs + longestPauseMs + appendMs + LATE_WRITE_MS;

export const timingOf = (options: EventStoreDbOptions): Timing => ({ ...TIMING, ...options.timing });

// A prefix of system streams (`$…`) would be refused or hidden by the server.
const PREFIX = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

/** @throws StoreSettingsError */
export function prefixOf(options: EventStoreDbOptions): string {
  const prefix = options.streamPrefix ?? 'counterfoil.';
  if (!PREFIX.test(prefix))
    throw new StoreSettingsError('a stream prefix has 1 to 64 characters of [A-Za-z0-9._-], the first a letter or digit');
  return prefix;
}
