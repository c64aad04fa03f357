import type { CopyDocument, LedgerEvent } from '@counterfoil/contracts';
import type { FieldValue, IndexSpec } from '../port.js';
import type { Projection } from '../projection.js';
import type { EventOf } from '../shared/events.js';
import { ProjectionFault } from '../shared/fault.js';
import { importedIdOf, recordFacts } from '../shared/imported-record.js';
import { indexable } from '../shared/indexable.js';
import { sortable } from '../shared/numbers.js';

const NAME = 'receipt_copies';

type CopyImported = EventOf<'HistoricalCopyImported'>;

const inWorkspace = (name: string, ...by: readonly string[]): IndexSpec => ({ name, fields: ['workspace', ...by, 'importedPosition'] });

export const COPY_INDEXES = {
  position: inWorkspace('by_position'),
  user: inWorkspace('by_user', 'user'),
  origin: inWorkspace('by_origin', 'originReceipt'),
  run: inWorkspace('by_run', 'run'),
} as const satisfies Record<string, IndexSpec>;

/** One document per copy of a receipt inside another old record: a link, and no receipt of its own. */
export const receiptCopiesProjection: Projection<CopyDocument> = {
  name: NAME,
  indexes: Object.values(COPY_INDEXES),
  idOf: (event) => (isCopy(event) ? importedIdOf(event) : null),
  evolve(doc, event) {
    if (!isCopy(event)) return doc;
    if (doc !== null) throw new ProjectionFault(NAME, event, 'the record was imported before');
    return newCopy(event);
  },
  fields: copyFields,
};

/** The values that copies are filtered and sorted by. */
export function copyFields(doc: CopyDocument): Readonly<Record<string, FieldValue>> {
  return {
    workspace: doc.workspaceId,
    user: doc.userId,
    originReceipt: indexable(doc.originReceipt),
    run: indexable(doc.importRun),
    importedPosition: sortable(doc.importedPosition),
  };
}

const isCopy = (event: LedgerEvent): event is CopyImported => event.type === 'HistoricalCopyImported';

function newCopy(event: CopyImported): CopyDocument {
  const { data } = event;
  const position = event.position.toString();
  return {
    ...recordFacts(event),
    originReceipt: data.coordinates['receiptId'] ?? null,
    argumentsFidelity: data.argumentsFidelity,
    fingerprint: data.fingerprint,
    importedPosition: position,
    revision: event.revision.toString(),
    position,
  };
}
