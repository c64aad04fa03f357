import { setTimeout as delay } from 'node:timers/promises';
import type { Db, MongoClient, MongoClientOptions } from 'mongodb';
import { DocumentStoreSettingsError, DocumentStoreUnavailableError } from '../errors.js';
import { isPassing, portError } from './errors.js';

const DEFAULT_DATABASE = 'counterfoil';
const DEFAULT_TIMEOUT_MS = 10_000;
/** One broken connection may cost two attempts: that in which it broke, and one that meets the pool while it is being cleared. */
const MOST_ATTEMPTS = 10;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 500;

export interface MongoDocumentStoreOptions {
  /** Connection string: `mongodb://…` or `mongodb+srv://…`. */
  readonly url: string;
  /** Default: that of the connection string, else `counterfoil`. */
  readonly database?: string;
  /**
   * `majority`: what is read can't be rolled back; for whoever goes on from what was read, as the projector does. `local` (default): the
   * newest that the primary has.
   */
  readonly readConcern?: 'local' | 'majority';
  /** Bound of each single step: finding a server, connecting, waiting for a free connection, an answer, a majority. Milliseconds. */
  readonly timeoutMs?: number;
}

/** A client and its database. Everything that is asked of them goes through `run`. */
export class Connection {
  private isClosed = false;

  constructor(
    readonly client: MongoClient,
    readonly db: Db,
    readonly timeoutMs: number,
  ) {}

  /** Options of every read: exact 64-bit integers, and a bound on the server's side. */
  get reading(): { readonly useBigInt64: true; readonly maxTimeMS: number } {
    return { useBigInt64: true, maxTimeMS: this.timeoutMs };
  }

  /**
   * Options of a read that settles what became of a write: of what the primary has, since that is what the write met. What a majority had
   * may be older, and would tell of the time before.
   */
  get settling() {
    return { ...this.reading, readConcern: { level: 'local' } } as const;
  }

  /**
   * Does `work`, and again when it failed for a reason that passes: the driver itself repeats once at most, and for some servers never.
   * After an attempt that took all the time there is at least one more: one silent connection says nothing of the next.
   * Whether an attempt took effect before it failed is not known, so that `work` must bear to be repeated.
   * @throws DocumentStoreUnavailableError
   */
  async run<T>(work: (isRepeated: boolean) => Promise<T>): Promise<T> {
    const giveUpAt = performance.now() + this.timeoutMs;
    for (let attempt = 1, pause = FIRST_PAUSE_MS; ; attempt++, pause = Math.min(pause * 3, LONGEST_PAUSE_MS)) {
      if (this.isClosed) throw new DocumentStoreUnavailableError('the document store was closed');
      try {
        return await work(attempt > 1);
      } catch (error) {
        const isTimeUp = attempt > 1 && performance.now() >= giveUpAt;
        if (!isPassing(error) || attempt >= MOST_ATTEMPTS || isTimeUp) throw portError(error);
      }
      // Jitter, so that those whose connections broke together don't come back together.
      await delay(pause * (0.5 + Math.random()));
    }
  }

  async close(): Promise<void> {
    if (this.isClosed) return;
    this.isClosed = true;
    await this.client.close();
  }
}

/**
 * Connects: a primary for all reads, since leases and guards are decided on what was read; writes acknowledged by a majority.
 * @throws DocumentStoreUnavailableError, DocumentStoreSettingsError
 */
export async function connect(options: MongoDocumentStoreOptions, isMonitored = false): Promise<Connection> {
  // Loaded here, so that a process that keeps its read models elsewhere never loads it.
  const { MongoClient, ReadConcern } = await import('mongodb');
  const timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  const client = clientOf(MongoClient, options.url, timeoutMs, isMonitored);
  try {
    await client.connect();
  } catch (error) {
    await client.close().catch(() => undefined);
    throw isFileError(error) ? refused('a file that it names') : portError(error);
  }
  const db = client.db(options.database ?? databaseOf(options.url) ?? DEFAULT_DATABASE, {
    readPreference: 'primary',
    readConcern: new ReadConcern(options.readConcern ?? 'local'),
    writeConcern: { w: 'majority', wtimeoutMS: timeoutMs },
  });
  return new Connection(client, db, timeoutMs);
}

/** @throws DocumentStoreSettingsError */
function clientOf(Client: typeof MongoClient, url: string, timeoutMs: number, isMonitored: boolean): MongoClient {
  const options: MongoClientOptions = {
    appName: 'counterfoil',
    retryReads: true,
    retryWrites: true,
    monitorCommands: isMonitored,
    serverSelectionTimeoutMS: timeoutMs,
    connectTimeoutMS: timeoutMs,
    waitQueueTimeoutMS: timeoutMs,
    // Longer than the server itself may take, to read or to wait for a majority: an answer that takes longer never comes.
    socketTimeoutMS: timeoutMs * 1.5,
  };
  try {
    return new Client(url, options);
  } catch (error) {
    // What the driver says of a connection string may quote it.
    throw refused(error instanceof Error ? error.name : 'unknown');
  }
}

const refused = (why: string): DocumentStoreSettingsError =>
  new DocumentStoreSettingsError(`the connection string of the read models' MongoDB can't be used (${why}); see docs/operations.md`);

/** The driver reads certificates when it connects, and passes on what the file system says. */
const isFileError = (error: unknown): boolean =>
  typeof error === 'object' &&
  error !== null &&
  'path' in error &&
  'code' in error &&
  ['ENOENT', 'EACCES', 'EISDIR'].includes(String(error.code));

/** The database that a connection string names, if it names one. */
export function databaseOf(url: string): string | undefined {
  const name = /^[a-z+]+:\/\/[^/?]*\/([^?]+)/.exec(url)?.[1];
  return name === undefined ? undefined : decodeURIComponent(name);
}
