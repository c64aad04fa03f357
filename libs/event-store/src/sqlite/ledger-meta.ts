import type Database from 'better-sqlite3';
import { asStoreFailure } from './failures.js';
import { EPOCH_KEY } from './open.js';

/** These writes are rare and made at start, so they may block for longer than an append. */
const LOCK_WAIT_MS = 5000;

/** Facts about a ledger that are written once: triggers refuse to change or delete them. */
export class LedgerMeta {
  private readonly select: Database.Statement<[string], string>;
  private readonly insert: Database.Statement<[string, string]>;
  private readonly others: Database.Statement<[string], [string, string]>;

  constructor(private readonly db: Database.Database) {
    this.select = db.prepare<[string], string>('SELECT value FROM ledger_meta WHERE key = ?').pluck();
    this.insert = db.prepare<[string, string]>('INSERT INTO ledger_meta (key, value) VALUES (?, ?)');
    this.others = db.prepare<[string], [string, string]>('SELECT key, value FROM ledger_meta WHERE key <> ? ORDER BY key').raw();
  }

  /** All but the epoch. */
  all(): ReadonlyMap<string, string> {
    return new Map(this.others.all(EPOCH_KEY));
  }

  /** @throws StoreUnavailableError */
  get(key: string): string | null {
    try {
      return this.select.get(key) ?? null;
    } catch (error) {
      throw asStoreFailure(error);
    }
  }

  /** @throws StoreUnavailableError */
  setOnce(key: string, value: string): string {
    const standing = this.get(key);
    if (standing !== null) return standing;
    const usual: unknown = this.db.pragma('busy_timeout', { simple: true });
    this.db.pragma(`busy_timeout = ${String(LOCK_WAIT_MS)}`);
    try {
      return this.setUnderLock(key, value);
    } catch (error) {
      throw asStoreFailure(error);
    } finally {
      this.db.pragma(`busy_timeout = ${String(usual)}`);
    }
  }

  private setUnderLock(key: string, value: string): string {
    return this.db
      .transaction(() => {
        const standing = this.select.get(key);
        if (standing !== undefined) return standing;
        this.insert.run(key, value);
        return value;
      })
      .immediate();
  }
}
