import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PreparedWrite, Rejected } from '../bulk-writes.js';
import { chunksOf, prepareWrites } from '../bulk-writes.js';
import { CollectionDroppedError, DocumentRejectedError } from '../errors.js';
import type { Collection, CollectionSpec, GuardedWrite, Loaded, Query, StoredDocument } from '../port.js';
import { assertWrites } from '../write-rules.js';
import { guardedWriter } from './bulk.js';
import type { Connection } from './connection.js';
import { sqliteCode } from './busy.js';
import { countSql, findSql } from './query-sql.js';
import { tableOf } from './tables.js';

const READ_CHUNK = 500;
// Documents may be large, and a page of a scan is held as a whole.
const SCAN_PAGE = 100;

/** One collection in one table (design §5, Ports). */
export class SqliteCollection<D> implements Collection<D> {
  private readonly byId: string;
  private readonly page: string;

  constructor(
    readonly spec: CollectionSpec,
    private readonly connection: Connection,
  ) {
    const table = tableOf(spec.name);
    this.byId = `SELECT id, guard, doc FROM ${table} WHERE id = ?`;
    this.page = `SELECT id, guard, doc FROM ${table} WHERE id > ? ORDER BY id LIMIT ?`;
  }

  async get(id: string): Promise<Loaded<D> | null> {
    return (await this.getMany([id])).get(id) ?? null;
  }

  async getMany(ids: readonly string[]): Promise<ReadonlyMap<string, Loaded<D>>> {
    const found = new Map<string, Loaded<D>>();
    for (let from = 0; from < ids.length; from += READ_CHUNK) {
      if (from > 0) await nextTurn();
      await this.connection.snapshot(() =>
        this.existing(() => {
          const statement = this.connection.statement(this.byId);
          for (const id of ids.slice(from, from + READ_CHUNK)) {
            const row = statement.get(id);
            // An id with a lone surrogate is stored nowhere, but is bound as another one that may be.
            if (row?.[0] === id) found.set(id, this.loaded(row));
          }
        }),
      );
    }
    return found;
  }

  async find(query: Query): Promise<readonly StoredDocument<D>[]> {
    const sql = findSql(this.spec, query);
    if (sql === null) return [];
    const rows = await this.connection.read(() => this.existing(() => this.connection.statement(sql.text).all(...sql.params)));
    return rows.map((row) => this.loaded(row)).filter((document): document is StoredDocument<D> => document.doc !== null);
  }

  async count(index: string, where: Query['where']): Promise<number> {
    const sql = countSql(this.spec, index, where);
    if (sql === null) return 0;
    const row = await this.connection.read(() => this.existing(() => this.connection.statement(sql.text).get(...sql.params)));
    return Number(row?.[0]);
  }

  async bulkWrite(writes: readonly GuardedWrite<D>[]): Promise<{ readonly conflicts: readonly string[] }> {
    assertWrites(writes);
    const { prepared, rejected: refused } = prepareWrites(this.spec, writes);
    const rejected: Rejected[] = [...refused];
    const conflicts: string[] = [];
    let isFirst = true;
    for (const chunk of chunksOf(prepared)) {
      if (!isFirst) await nextTurn();
      isFirst = false;
      for (const [id, result] of await this.writeChunk(chunk)) {
        if (result === 'conflict') conflicts.push(id);
        else rejected.push({ id, reason: result });
      }
    }
    if (rejected.length > 0) throw new DocumentRejectedError(this.spec.name, rejected);
    return { conflicts };
  }

  async *scan(): AsyncIterable<Loaded<D>> {
    let last = '';
    for (;;) {
      const rows = await this.connection.read(() => this.existing(() => this.connection.statement(this.page).all(last, SCAN_PAGE)));
      const documents = rows.map((row) => this.loaded(row));
      yield* documents;
      if (documents.length < SCAN_PAGE) return;
      last = documents.at(-1)?.id ?? last;
    }
  }

  private writeChunk(chunk: readonly PreparedWrite[]): Promise<readonly (readonly [string, 'conflict' | 'unique_violation'])[]> {
    return this.connection.write(() =>
      this.existing(() => {
        const write = guardedWriter(this.connection, this.spec);
        const lost: (readonly [string, 'conflict' | 'unique_violation'])[] = [];
        for (const prepared of chunk) {
          const result = write(prepared);
          if (result !== 'written') lost.push([prepared.write.id, result]);
        }
        return lost;
      }),
    );
  }

  private loaded(row: readonly unknown[]): Loaded<D> {
    const [id, guard, doc] = row as [string, bigint, string | null];
    return doc === null ? { id, guard, doc } : { id, guard, doc: JSON.parse(doc) as D };
  }

  private existing<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      if (sqliteCode(error) !== '' && String(error).includes('no such table: d_')) throw new CollectionDroppedError(this.spec.name);
      throw error;
    }
  }
}
