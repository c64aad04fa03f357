/** A value that a document can be filtered and sorted by. */
export type FieldValue = string | number | null;

/**
 * One index: its name and the fields in order. Every query names the index that serves it; fields are top-level keys of `fields` in
 * a StoredDocument, never user text (stack notes: keys made of user text must not become field names).
 */
export interface IndexSpec {
  readonly name: string;
  readonly fields: readonly string[];
  readonly unique?: boolean;
}

export interface CollectionSpec {
  /** `[a-z][a-z0-9_]*`; carries set version and generation, for example `main_v1_g2_receipts`. */
  readonly name: string;
  readonly indexes: readonly IndexSpec[];
}

/** A document as it was read: `guard` is what a later write must still find. */
export interface StoredDocument<D> {
  readonly id: string;
  readonly doc: D;
  /** Position of the last event folded into it; grows with every write. */
  readonly guard: bigint;
}

/** A tombstone has no doc: it keeps the guard, so that an older write can't bring the document back. */
export type Loaded<D> = StoredDocument<D> | { readonly id: string; readonly doc: null; readonly guard: bigint };

/**
 * A guarded write. `expected` is the guard at which the document was loaded, null when it was loaded as absent; `guard` is the new
 * one and must be greater. `doc` null leaves a tombstone. `fields` are the index values of the document.
 */
export interface GuardedWrite<D> {
  readonly id: string;
  readonly expected: bigint | null;
  readonly guard: bigint;
  readonly doc: D | null;
  readonly fields: Readonly<Record<string, FieldValue>>;
}

/** Equality, a list of values, a range, or a string prefix over one field. */
export type Condition =
  | { readonly eq: FieldValue }
  | { readonly in: readonly FieldValue[] }
  | { readonly gt?: FieldValue; readonly gte?: FieldValue; readonly lt?: FieldValue; readonly lte?: FieldValue }
  | { readonly prefix: string };

export interface Query {
  /** Name of the index that serves the query. */
  readonly index: string;
  readonly where: Readonly<Record<string, Condition>>;
  /** Fields of the index in order, then always by id in the same direction. */
  readonly order: readonly string[];
  readonly direction: 'asc' | 'desc';
  /** Keyset: values of the `order` fields and the id of the last item of the page before. */
  readonly after?: { readonly values: readonly FieldValue[]; readonly id: string };
  readonly limit: number;
}

export interface Collection<D> {
  readonly spec: CollectionSpec;
  get(id: string): Promise<Loaded<D> | null>;
  getMany(ids: readonly string[]): Promise<ReadonlyMap<string, Loaded<D>>>;
  find(query: Query): Promise<readonly StoredDocument<D>[]>;
  count(index: string, where: Query['where']): Promise<number>;
  /** Writes each document whose guard still stands; answers the ids that lost the race. Documents are independent of each other. */
  bulkWrite(writes: readonly GuardedWrite<D>[]): Promise<{ readonly conflicts: readonly string[] }>;
  /** All documents by id, tombstones too, for comparisons and copies. */
  scan(): AsyncIterable<Loaded<D>>;
}

/**
 * A small document outside of projections: checkpoints, pointers, leases; compare-and-set on its revision, which is 1 when the document
 * is made and grows by one with every write, so that a winner knows it without reading again.
 */
export interface ControlDocument {
  readonly key: string;
  readonly revision: bigint;
  readonly value: Readonly<Record<string, string | number | null>>;
}

/**
 * The port to the read models' store (design §5, Ports). One compare-and-set per document; nothing rests on transactions over several.
 */
export interface DocumentStore {
  /** Makes the collection and its indexes if absent. */
  collection<D>(spec: CollectionSpec): Promise<Collection<D>>;
  drop(collectionName: string): Promise<void>;
  collections(prefix: string): Promise<readonly string[]>;
  control(key: string): Promise<ControlDocument | null>;
  /**
   * Those of several control documents that there are, by key; in one round trip where the store can. No snapshot: of two documents that
   * change meanwhile one may be read before its change and the other after, but none is older than the call.
   */
  controls(keys: readonly string[]): Promise<ReadonlyMap<string, ControlDocument>>;
  /** Writes if the document is still at `expected` (null: absent). Answers false when it lost the race. */
  compareAndSet(key: string, expected: bigint | null, value: ControlDocument['value']): Promise<boolean>;
  close(): Promise<void>;
}
