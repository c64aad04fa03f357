import { randomUUID } from 'node:crypto';
import type { Collection as Stored, Filter, FindOptions } from 'mongodb';
import type { PreparedWrite, Rejected } from '../bulk-writes.js';
import { chunksOf, prepareWrites } from '../bulk-writes.js';
import { CollectionDroppedError, DocumentRejectedError } from '../errors.js';
import type { Collection, CollectionSpec, GuardedWrite, Loaded, Query, StoredDocument } from '../port.js';
import { assertWrites, isDocumentId } from '../write-rules.js';
import { BulkWriter, isTooLarge } from './bulk.js';
import type { Connection } from './connection.js';
import { BY_ID, type LoadedRow, physicalName, SENTINEL, type Row } from './layout.js';
import { countPlan, findPlan } from './query-filter.js';
import type { Registry } from './registry.js';

const READ_CHUNK = 500;
const SCAN_PAGE = 100;
const LARGEST_BATCH = 1000;

const LOADED = { guard: 1, doc: 1 };

/** One collection (design §5, Ports). Every read names the index that serves it. */
export class MongoCollection<D> implements Collection<D> {
  private readonly rows: Stored<Row>;
  private readonly writer: BulkWriter;

  constructor(
    readonly spec: CollectionSpec,
    private readonly connection: Connection,
    private readonly registry: Registry,
  ) {
    this.rows = connection.db.collection<Row>(physicalName(spec.name));
    this.writer = new BulkWriter(spec, this.rows, connection);
  }

  async get(id: string): Promise<Loaded<D> | null> {
    return (await this.getMany([id])).get(id) ?? null;
  }

  async getMany(ids: readonly string[]): Promise<ReadonlyMap<string, Loaded<D>>> {
    const found = new Map<string, Loaded<D>>();
    for (let from = 0; from < ids.length; from += READ_CHUNK) {
      // An id with a lone surrogate is stored nowhere, but would be sent as another one that may be.
      const wanted = ids.slice(from, from + READ_CHUNK).filter(isDocumentId);
      const rows = await this.read({ _id: { $in: [SENTINEL, ...wanted] } }, { hint: BY_ID });
      if (!rows.some(({ _id }) => _id === SENTINEL)) throw new CollectionDroppedError(this.spec.name);
      for (const row of rows) if (row._id !== SENTINEL) found.set(row._id, this.loaded(row));
    }
    return found;
  }

  async find(query: Query): Promise<readonly StoredDocument<D>[]> {
    const plan = findPlan(this.spec, query);
    if (plan === null) return [];
    const { filter, sort, hint } = plan;
    const rows = await this.read(filter, { hint, sort, limit: query.limit, batchSize: Math.min(query.limit, LARGEST_BATCH) });
    if (rows.length === 0) await this.assertThere();
    return rows.map((row) => this.loaded(row)).filter((document): document is StoredDocument<D> => document.doc !== null);
  }

  async count(index: string, where: Query['where']): Promise<number> {
    const plan = countPlan(this.spec, index, where);
    if (plan === null) return 0;
    const { maxTimeMS } = this.connection.reading;
    const count = await this.connection.run(() => this.rows.countDocuments(plan.filter, { hint: plan.hint, maxTimeMS }));
    if (count === 0) await this.assertThere();
    return count;
  }

  async bulkWrite(writes: readonly GuardedWrite<D>[]): Promise<{ readonly conflicts: readonly string[] }> {
    assertWrites(writes);
    const { prepared, rejected: refused } = prepareWrites(this.spec, writes);
    const rejected: Rejected[] = [...refused];
    const fitting: PreparedWrite[] = [];
    for (const one of prepared) {
      if (isTooLarge(this.spec, one)) rejected.push({ id: one.write.id, reason: 'too_large' });
      else fitting.push(one);
    }
    const conflicts: string[] = [];
    const token = randomUUID();
    for (const chunk of chunksOf(fitting)) {
      const lost = await this.writer.write(chunk, token);
      if (lost === null) return this.tooLate();
      conflicts.push(...lost.conflicts);
      rejected.push(...lost.rejected);
    }
    if (rejected.length > 0) throw new DocumentRejectedError(this.spec.name, rejected);
    return { conflicts };
  }

  async *scan(): AsyncIterable<Loaded<D>> {
    let last = SENTINEL;
    for (;;) {
      const rows = await this.read({ _id: { $gt: last } }, { hint: BY_ID, sort: { _id: 1 }, limit: SCAN_PAGE, batchSize: SCAN_PAGE });
      yield* rows.map((row) => this.loaded(row));
      if (rows.length < SCAN_PAGE) {
        await this.assertThere();
        return;
      }
      last = rows.at(-1)?._id ?? last;
    }
  }

  private read(filter: Filter<Row>, options: FindOptions & { readonly hint: string }): Promise<LoadedRow[]> {
    const { reading } = this.connection;
    return this.connection.run(() => this.rows.find<LoadedRow>(filter, { ...options, ...reading, projection: LOADED }).toArray());
  }

  /** MongoDB answers as if empty when a collection is gone. */
  private async assertThere(): Promise<void> {
    const [sentinel] = await this.read({ _id: SENTINEL }, { hint: BY_ID, limit: 1 });
    if (sentinel === undefined) throw new CollectionDroppedError(this.spec.name);
  }

  /** The collection was dropped, and these writes have made it anew without its indexes: that goes, too. */
  private async tooLate(): Promise<never> {
    await this.registry.clear(this.spec.name);
    throw new CollectionDroppedError(this.spec.name);
  }

  private loaded({ _id: id, guard, doc }: LoadedRow): Loaded<D> {
    const exact = BigInt(guard);
    return doc === null ? { id, doc, guard: exact } : { id, doc: JSON.parse(doc) as D, guard: exact };
  }
}
