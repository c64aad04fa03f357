import type { Collection, CollectionSpec, DocumentStore, FieldValue, GuardedWrite, Loaded } from '@counterfoil/read-models';

/** One empty store, for one test. */
export interface DocumentStoreFixture {
  /** Opens one more connection to the store, as another process would. */
  open(): Promise<DocumentStore>;
  /** Closes every connection that was opened and removes the store. */
  dispose(): Promise<void>;
}

export type DocumentStoreFactory = () => Promise<DocumentStoreFixture>;

/**
 * What some servers can't be asked for. `races`: several writers of one document at the same time. `code_points`: the order of texts with
 * characters beyond U+FFFF. `broken_by_change`: a unique index that a change of a document would break, not a new one. `bulky`: thousands
 * of documents, or dozens of megabytes.
 */
export type Tag = 'races' | 'code_points' | 'broken_by_change' | 'bulky';

/** In which stores lawfully differ. */
export interface DocumentStoreTraits {
  /** Tests with these tags are skipped, for the reason given. */
  readonly leftOut?: Readonly<Partial<Record<Tag, string>>>;
}

/** Stands in for `it` where a test has a tag. */
export function tagged(tag: Tag, traits: DocumentStoreTraits): (name: string, test: () => Promise<void>) => void {
  const reason = traits.leftOut?.[tag];
  if (reason === undefined) return (name, test) => it(name, test);
  return (name, test) => it.skip(`${name} (left out: ${reason})`, test);
}

/** The documents of the kit: two fields to sort and filter by, one that is unique, and a text. */
export interface Note {
  readonly group: FieldValue;
  readonly rank: FieldValue;
  readonly slug: FieldValue;
  readonly text: string;
}

export const NOTES: CollectionSpec = {
  name: 'kit_v1_g1_notes',
  indexes: [
    { name: 'by_group', fields: ['group', 'rank'] },
    { name: 'by_rank', fields: ['rank'] },
    { name: 'by_id', fields: [] },
  ],
};

/** As NOTES, with a unique index. */
export const SLUGS: CollectionSpec = {
  name: 'kit_v1_g1_slugs',
  indexes: [{ name: 'by_slug', fields: ['slug'], unique: true }],
};

export function note(values: Partial<Note> = {}): Note {
  return { group: null, rank: null, slug: null, text: '', ...values };
}

/** A guarded write of a note, with its fields. */
export function writeOf(id: string, expected: bigint | null, guard: bigint, doc: Note | null): GuardedWrite<Note> {
  return { id, expected, guard, doc, fields: doc === null ? {} : { group: doc.group, rank: doc.rank, slug: doc.slug } };
}

/** Writes new notes at guard 1. */
export async function insert(collection: Collection<Note>, notes: Readonly<Record<string, Partial<Note>>>): Promise<void> {
  const writes = Object.entries(notes).map(([id, values]) => writeOf(id, null, 1n, note(values)));
  expect(await collection.bulkWrite(writes)).toEqual({ conflicts: [] });
}

export async function collect<D>(scan: AsyncIterable<Loaded<D>>): Promise<Loaded<D>[]> {
  const all: Loaded<D>[] = [];
  for await (const document of scan) all.push(document);
  return all;
}

/** Opens connections to the store of the running test. */
export interface Stores {
  open(): Promise<DocumentStore>;
  /** The collection NOTES over a connection of its own. */
  notes(): Promise<Collection<Note>>;
}

/** The store of the running test; a group of tests calls this once. */
export function eachTest(factory: DocumentStoreFactory): Stores {
  let fixture: DocumentStoreFixture | undefined;
  beforeEach(async () => {
    fixture = await factory();
  });
  afterEach(async () => {
    await fixture?.dispose();
    fixture = undefined;
  });
  const open = async (): Promise<DocumentStore> => {
    if (fixture === undefined) throw new Error('a store can be opened within a test only');
    return fixture.open();
  };
  return { open, notes: async () => (await open()).collection<Note>(NOTES) };
}
