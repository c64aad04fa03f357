import { setImmediate as nextTurn } from 'node:timers/promises';
import { CollectionSpecMismatchError, InvalidWriteError } from '../errors.js';
import type { Collection, CollectionSpec, ControlDocument, DocumentStore } from '../port.js';
import { prefixEnd } from '../query-rules.js';
import { assertCollectionName, assertSpec, specText } from '../spec-rules.js';
import { isDocumentId } from '../write-rules.js';
import type { Connection } from './connection.js';
import { connect } from './connection.js';
import { SqliteCollection } from './sqlite-collection.js';
import { STORE_TABLES, tableOf, tableSql } from './tables.js';

const DEFAULT_BUSY_LIMIT_MS = 10_000;
const DROP_CHUNK = 500;
const CONTROL_CHUNK = 500;

export interface SqliteDocumentStoreOptions {
  /** The database file; may be that of the event store, and then has a connection of its own. */
  readonly file: string;
  /** How long an operation goes on trying while another process holds the file, in milliseconds. */
  readonly busyLimitMs?: number;
}

/**
 * Opens the read models' store in a SQLite file, and makes its tables. Several processes may have it open.
 * @throws DocumentStoreUnavailableError
 */
export async function openSqliteDocumentStore(options: SqliteDocumentStoreOptions): Promise<DocumentStore> {
  const connection = await connect(options.file, options.busyLimitMs ?? DEFAULT_BUSY_LIMIT_MS);
  try {
    await connection.write(() => {
      connection.exec(STORE_TABLES);
    });
    return new SqliteDocumentStore(connection);
  } catch (error) {
    connection.close();
    throw error;
  }
}

class SqliteDocumentStore implements DocumentStore {
  constructor(private readonly connection: Connection) {}

  async collection<D>(spec: CollectionSpec): Promise<Collection<D>> {
    assertSpec(spec);
    const wanted = specText(spec);
    // Looked up each time, since another process may have dropped it; the write lock is taken only to make it.
    const found = (await this.connection.read(() => this.specOf(spec.name))) ?? (await this.make(spec, wanted));
    if (found !== wanted) throw new CollectionSpecMismatchError(spec.name);
    return new SqliteCollection<D>(spec, this.connection);
  }

  async drop(collectionName: string): Promise<void> {
    assertCollectionName(collectionName);
    // Bit by bit, so that no writer waits for long. The name stays listed until the end: a drop that was cut short is found again.
    while (await this.connection.write(() => this.dropSome(collectionName))) await nextTurn();
  }

  async collections(prefix: string): Promise<readonly string[]> {
    const sql = 'SELECT name FROM document_collections WHERE name >= ? AND name < ? ORDER BY name';
    // A collection's name is ASCII: the end of a prefix is never missing.
    const rows = await this.connection.read(() => this.connection.statement(sql).all(prefix, prefixEnd(prefix) ?? '\u{10ffff}'));
    return rows.map(([name]) => name as string);
  }

  async control(key: string): Promise<ControlDocument | null> {
    assertKey(key);
    return this.connection.read(() => this.controlNow(key));
  }

  async controls(keys: readonly string[]): Promise<ReadonlyMap<string, ControlDocument>> {
    keys.forEach(assertKey);
    const found = new Map<string, ControlDocument>();
    for (let from = 0; from < keys.length; from += CONTROL_CHUNK) {
      if (from > 0) await nextTurn();
      const chunk = keys.slice(from, from + CONTROL_CHUNK);
      for (const document of await this.connection.snapshot(() => chunk.map((key) => this.controlNow(key)))) {
        if (document !== null) found.set(document.key, document);
      }
    }
    return found;
  }

  async compareAndSet(key: string, expected: bigint | null, value: ControlDocument['value']): Promise<boolean> {
    assertKey(key);
    const text = JSON.stringify(value);
    const { changes } = await this.connection.write(() => {
      if (expected === null) {
        return this.connection.statement('INSERT INTO control VALUES (?, 1, ?) ON CONFLICT (key) DO NOTHING').run(key, text);
      }
      const sql = 'UPDATE control SET revision = revision + 1, value = ? WHERE key = ? AND revision = ?';
      return this.connection.statement(sql).run(text, key, expected);
    });
    return changes === 1;
  }

  close(): Promise<void> {
    this.connection.close();
    return Promise.resolve();
  }

  private controlNow(key: string): ControlDocument | null {
    const row = this.connection.statement('SELECT revision, value FROM control WHERE key = ?').get(key) as [bigint, string] | undefined;
    return row === undefined ? null : { key, revision: row[0], value: JSON.parse(row[1]) as ControlDocument['value'] };
  }

  private specOf(name: string): string | null {
    const row = this.connection.statement('SELECT spec FROM document_collections WHERE name = ?').get(name);
    return row === undefined ? null : (row[0] as string);
  }

  private make(spec: CollectionSpec, text: string): Promise<string> {
    return this.connection.write(() => {
      const found = this.specOf(spec.name);
      if (found !== null) return found;
      this.connection.exec(tableSql(spec));
      this.connection.statement('INSERT INTO document_collections VALUES (?, ?)').run(spec.name, text);
      return text;
    });
  }

  /** Deletes a bounded number of rows, or, when few are left, the table itself. True while there is more to do. */
  private dropSome(name: string): boolean {
    if (this.specOf(name) === null) return false;
    const table = tableOf(name);
    const sql = `DELETE FROM ${table} WHERE rowid IN (SELECT rowid FROM ${table} LIMIT ?)`;
    if (this.connection.statement(sql).run(DROP_CHUNK).changes === DROP_CHUNK) return true;
    this.connection.exec(`DROP TABLE ${table}`);
    this.connection.statement('DELETE FROM document_collections WHERE name = ?').run(name);
    return false;
  }
}

/** @throws InvalidWriteError when the key isn't well-formed text of 1 to 2048 characters */
function assertKey(key: string): void {
  if (!isDocumentId(key)) throw new InvalidWriteError('the key of a control document must be well-formed text');
}
