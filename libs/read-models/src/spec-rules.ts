import { InvalidCollectionSpecError } from './errors.js';
import type { CollectionSpec, IndexSpec } from './port.js';

const NAME = /^[a-z][a-z0-9_]{0,119}$/;
const FIELD = /^[A-Za-z][A-Za-z0-9_]{0,59}$/;

/** @throws InvalidCollectionSpecError when the name isn't `[a-z][a-z0-9_]*` of at most 120 characters (MongoDB bounds namespaces, too). */
export function assertCollectionName(name: string): void {
  if (!NAME.test(name)) throw new InvalidCollectionSpecError(`${JSON.stringify(name)} is no collection name`);
}

/** Every field that an index of the collection names, once, in order of first use: the columns of a document. */
export function indexFields(spec: CollectionSpec): readonly string[] {
  return [...new Set(spec.indexes.flatMap((index) => index.fields))];
}

/** Equal texts mean equal specs, whatever the order in which the indexes are listed. */
export function specText(spec: CollectionSpec): string {
  const indexes = spec.indexes.map((index) => ({ name: index.name, fields: index.fields, unique: index.unique === true }));
  return JSON.stringify(indexes.sort((a, b) => (a.name < b.name ? -1 : 1)));
}

/**
 * Checks what every adapter relies on: names that need no quoting, no index or field twice.
 * @throws InvalidCollectionSpecError
 */
export function assertSpec(spec: CollectionSpec): void {
  assertCollectionName(spec.name);
  const names = spec.indexes.map((index) => index.name);
  if (new Set(names).size !== names.length) throw new InvalidCollectionSpecError(`${spec.name} has two indexes of one name`);
  spec.indexes.forEach((index) => {
    assertIndex(spec.name, index);
  });
  const fields = indexFields(spec);
  // Column names of SQL don't tell upper from lower case.
  if (new Set(fields.map((field) => field.toLowerCase())).size !== fields.length) {
    throw new InvalidCollectionSpecError(`fields of ${spec.name} differ in case only`);
  }
}

function assertIndex(collection: string, index: IndexSpec): void {
  const label = `index ${JSON.stringify(index.name)} of ${collection}`;
  if (!NAME.test(index.name)) throw new InvalidCollectionSpecError(`${label} has no usable name`);
  if (new Set(index.fields).size !== index.fields.length) throw new InvalidCollectionSpecError(`${label} names a field twice`);
  if (index.unique === true && index.fields.length === 0) throw new InvalidCollectionSpecError(`${label} is unique over nothing`);
  for (const field of index.fields) {
    if (!FIELD.test(field)) throw new InvalidCollectionSpecError(`${label} names the impossible field ${JSON.stringify(field)}`);
  }
}
