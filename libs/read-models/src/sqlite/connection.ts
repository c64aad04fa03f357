import Database from 'better-sqlite3';
import { DocumentStoreUnavailableError } from '../errors.js';
import { whileBusy } from './busy.js';

/** Long enough to slip past the short transactions of others, short enough not to be felt in the event loop. */
const BUSY_TIMEOUT_MS = 20;
const MOST_STATEMENTS = 500;

export type SqlValue = string | number | bigint | null;

/** The rows of one statement; integers come as bigint, so that guards and revisions are exact. */
export type Statement = Database.Statement<SqlValue[], unknown[]>;

/** One connection with its prepared statements. Everything runs to its end within one turn of the event loop. */
export class Connection {
  private readonly statements = new Map<string, Statement>();

  constructor(
    private readonly db: Database.Database,
    private readonly busyLimitMs: number,
  ) {}

  /** The statement for a SQL text, in raw mode: a row is an array. The least recently made ones are forgotten. */
  statement(sql: string): Statement {
    const known = this.statements.get(sql);
    if (known !== undefined) return known;
    const made = this.db.prepare<SqlValue[], unknown[]>(sql).safeIntegers();
    if (made.reader) made.raw();
    const [oldest] = this.statements.keys();
    if (this.statements.size >= MOST_STATEMENTS && oldest !== undefined) this.statements.delete(oldest);
    this.statements.set(sql, made);
    return made;
  }

  exec(sql: string): void {
    this.db.exec(sql);
  }

  /** Runs one reading statement, which is its own snapshot. @throws DocumentStoreUnavailableError */
  read<T>(work: () => T): Promise<T> {
    return this.run(work);
  }

  /** Reads by several statements from one snapshot (which also costs less than one for each). @throws DocumentStoreUnavailableError */
  snapshot<T>(work: () => T): Promise<T> {
    return this.run(() => this.db.transaction(work).deferred());
  }

  /** Writes all or nothing, with the write lock from the start. @throws DocumentStoreUnavailableError */
  write<T>(work: () => T): Promise<T> {
    return this.run(() => this.db.transaction(work).immediate());
  }

  close(): void {
    this.statements.clear();
    this.db.close();
  }

  private run<T>(work: () => T): Promise<T> {
    return whileBusy(() => {
      if (!this.db.open) throw new DocumentStoreUnavailableError('the document store was closed');
      return work();
    }, this.busyLimitMs);
  }
}

/**
 * Opens a file of its own connection. The write-ahead log keeps readers and the writer apart; commits are not forced to the disk one
 * by one, since a power cut that loses the last of them loses them in order: no checkpoint survives the documents it speaks of.
 */
export function connect(file: string, busyLimitMs: number): Promise<Connection> {
  return whileBusy(() => {
    const db = new Database(file, { timeout: BUSY_TIMEOUT_MS });
    try {
      db.pragma('journal_mode = WAL');
      db.pragma('synchronous = NORMAL');
      db.pragma('cache_size = -16000');
      return new Connection(db, busyLimitMs);
    } catch (error) {
      db.close();
      throw error;
    }
  }, busyLimitMs);
}
