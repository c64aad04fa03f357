import type { LedgerEvent, QuarantineDocument } from '@counterfoil/contracts';
import type { FieldValue, IndexSpec } from '../port.js';
import type { Projection } from '../projection.js';
import type { EventOf } from '../shared/events.js';
import { ProjectionFault } from '../shared/fault.js';
import { sortable } from '../shared/numbers.js';
import { asideKeyOf } from '../shared/streams.js';

const NAME = 'quarantine';

type Quarantined = EventOf<'HistoricalRecordQuarantined'>;

export const QUARANTINE_INDEXES = {
  position: { name: 'by_position', fields: ['workspace', 'importedPosition'] },
  run: { name: 'by_run', fields: ['workspace', 'run', 'importedPosition'] },
  reason: { name: 'by_reason', fields: ['workspace', 'reason', 'importedPosition'] },
} as const satisfies Record<string, IndexSpec>;

/**
 * One document per record that an import put aside, `<workspace>/<record key>`: with the run that was the first to see it, since a
 * record is put aside once, however often it is read (decision 0004).
 */
export const quarantineProjection: Projection<QuarantineDocument> = {
  name: NAME,
  indexes: Object.values(QUARANTINE_INDEXES),
  idOf: (event) => (isQuarantined(event) ? asideKeyOf(event.stream) : null),
  evolve(doc, event) {
    if (!isQuarantined(event)) return doc;
    if (doc !== null) throw new ProjectionFault(NAME, event, 'the record was put aside before');
    return quarantined(event);
  },
  fields: quarantineFields,
};

export function quarantineFields(doc: QuarantineDocument): Readonly<Record<string, FieldValue>> {
  return {
    workspace: doc.workspaceId,
    run: doc.importRun,
    reason: doc.reason,
    importedPosition: sortable(doc.importedPosition),
  };
}

function isQuarantined(event: LedgerEvent): event is Quarantined {
  return event.type === 'HistoricalRecordQuarantined';
}

/** Key by key, so that the order is always the same (promise 26). */
function quarantined({ data, revision, position }: Quarantined): QuarantineDocument {
  return {
    recordKey: data.recordKey,
    workspaceId: data.workspaceId,
    importRun: data.importRun,
    reason: data.reason,
    detail: data.detail,
    line: data.line,
    byteOffset: data.byteOffset,
    table: data.table ?? null,
    row: data.row ?? null,
    member: data.member ?? null,
    record: data.record,
    importedPosition: position.toString(),
    revision: revision.toString(),
    position: position.toString(),
  };
}
