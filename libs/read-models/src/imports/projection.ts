import type { FateCounts, ImportDocument, LedgerEvent } from '@counterfoil/contracts';
import type { FieldValue, IndexSpec } from '../port.js';
import type { Projection } from '../projection.js';
import type { EventOf } from '../shared/events.js';
import { sortable } from '../shared/numbers.js';
import { importKeyOf } from '../shared/streams.js';
import { addByName, addCounts } from './sums.js';

type Finished = EventOf<'ImportFinished'>;

export const IMPORT_INDEXES = {
  position: { name: 'by_position', fields: ['workspace', 'finishedPosition'] },
} as const satisfies Record<string, IndexSpec>;

/**
 * One document per import that added something, `<workspace>/<run>`. An import that was stopped and went on under its name has ended
 * several times: its counts are those of all its goes together, and how it ended is what the last of them says.
 */
export const importsProjection: Projection<ImportDocument> = {
  name: 'imports',
  indexes: Object.values(IMPORT_INDEXES),
  idOf: (event) => (isFinished(event) ? importKeyOf(event.stream) : null),
  evolve: (doc, event) => (isFinished(event) ? finished(doc, event) : doc),
  fields: importFields,
};

/** Id of an import's document: a workspace's name holds no slash. */
export const importKey = (workspaceId: string, run: string): string => `${workspaceId}/${run}`;

export function importFields(doc: ImportDocument): Readonly<Record<string, FieldValue>> {
  return { workspace: doc.workspaceId, finishedPosition: sortable(doc.finishedPosition) };
}

function isFinished(event: LedgerEvent): event is Finished {
  return event.type === 'ImportFinished';
}

/** Key by key, so that the order is always the same (promise 26). */
function finished(before: ImportDocument | null, { data, metadata, revision, position }: Finished): ImportDocument {
  return {
    workspaceId: data.workspaceId,
    importRun: data.importRun,
    totals: addCounts(before?.totals, data.totals),
    added: addCounts(before?.added, data.added),
    surfaces: addByName(before?.surfaces, data.surfaces, addCounts<FateCounts>),
    reasons: addByName(before?.reasons, data.reasons, (a = 0, b) => a + b),
    inputs: data.inputs,
    failedInputs: data.failedInputs,
    bytes: (before?.bytes ?? 0) + data.bytes,
    milliseconds: (before?.milliseconds ?? 0) + data.milliseconds,
    interrupted: data.interrupted,
    by: metadata.actor.principal,
    finishedAt: metadata.recordedAt,
    finishedPosition: position.toString(),
    revision: revision.toString(),
    position: position.toString(),
  };
}
