import type Database from 'better-sqlite3';
import type { PreparedRestore } from '../restoring.js';
import type { PreparedAppend } from '../sealing.js';
import type { UpcastingRegistry } from '../upcasting/registry.js';
import { writeAppend } from './append-write.js';
import { asCommitFailure, asStoreFailure, isBusy, sqliteCode } from './failures.js';
import { writeRestore } from './restore-write.js';
import { StreamTable } from './stream-table.js';
import type { WriteOutcome } from './write-outcome.js';

/** What is written into one stream, prepared. */
export type PreparedWrite = PreparedAppend | PreparedRestore;

/** Writes what was prepared: many writes in one transaction, each checked for itself. */
export class AppendTransaction {
  private readonly begin: Database.Statement;
  private readonly commit: Database.Statement;
  private readonly rollback: Database.Statement;
  private readonly table: StreamTable;

  constructor(
    private readonly db: Database.Database,
    private readonly registry: UpcastingRegistry,
  ) {
    this.begin = db.prepare('BEGIN IMMEDIATE');
    this.commit = db.prepare('COMMIT');
    this.rollback = db.prepare('ROLLBACK');
    this.table = new StreamTable(db);
  }

  /**
   * One transaction, one sync. Checks come before inserts, so a write that is refused leaves nothing behind and none needs a savepoint.
   *
   * @returns the outcome of each write, in order
   * @throws a busy SqliteError before anything was done; StoreUnavailableError when nothing was stored; OutcomeUnknownError
   */
  run(writes: readonly PreparedWrite[]): readonly WriteOutcome[] {
    this.start();
    const outcomes = this.inTransaction(() => {
      this.table.begin();
      return writes.map((write) => ('first' in write ? writeRestore(this.table, write) : writeAppend(this.table, this.registry, write)));
    });
    try {
      this.commit.run();
    } catch (error) {
      this.undoQuietly();
      throw asCommitFailure(error);
    }
    return outcomes;
  }

  private start(): void {
    try {
      this.undo();
      this.begin.run();
    } catch (error) {
      throw isBusy(error) ? error : asStoreFailure(error);
    }
  }

  private inTransaction<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      this.undoQuietly();
      throw asStoreFailure(error);
    }
  }

  /** Some failures (a full disk, for one) have ended the transaction already. */
  private undo(): void {
    if (this.db.inTransaction) this.rollback.run();
  }

  /** While one failure is reported, a second one must not hide it; what it left open is undone before the next begin. */
  private undoQuietly(): void {
    this.table.forget();
    try {
      this.undo();
    } catch (error) {
      if (sqliteCode(error) === null) throw error;
    }
  }
}
