import type { CopyDocument, ImportedTaskDocument, ReceiptDocument, TransitionDocument } from '@counterfoil/contracts';

/** What each ledger and each import mints for itself. */
type Minted = 'position' | 'revision' | 'requestedPosition' | 'endedPosition' | 'importedPosition' | 'importRun';

const MINTED: ReadonlySet<string> = new Set<Minted>([
  'position',
  'revision',
  'requestedPosition',
  'endedPosition',
  'importedPosition',
  'importRun',
]);

type Portable<D> = Omit<D, Minted>;

function without<D extends object>(doc: D): Portable<D> {
  return Object.fromEntries(Object.entries(doc).filter(([key]) => !MINTED.has(key))) as Portable<D>;
}

/**
 * A document as it can be compared across ledgers with the same keys, and across orders of import (promise 26): without positions,
 * revisions, the ledger's own clock and minted ids.
 */
export function portableReceipt(doc: ReceiptDocument): Portable<ReceiptDocument> {
  return { ...without(doc), times: { ...doc.times, requested: null, dispatched: null, completed: null } };
}

/** The same for the other documents of history. */
export function portable<D extends ImportedTaskDocument | TransitionDocument | CopyDocument>(doc: D): Portable<D> {
  return without(doc);
}
