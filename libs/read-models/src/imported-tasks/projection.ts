import type { ImportedTaskDocument, LedgerEvent } from '@counterfoil/contracts';
import type { FieldValue, IndexSpec } from '../port.js';
import type { Projection } from '../projection.js';
import type { EventOf } from '../shared/events.js';
import { importedIdOf, recordFacts } from '../shared/imported-record.js';
import { indexable } from '../shared/indexable.js';
import { sortable } from '../shared/numbers.js';
import { sortableTime } from '../shared/recorded-time.js';

type TaskImported = EventOf<'HistoricalTaskImported'>;

const inWorkspace = (name: string, ...by: readonly string[]): IndexSpec => ({ name, fields: ['workspace', ...by, 'importedPosition'] });

export const IMPORTED_TASK_INDEXES = {
  position: inWorkspace('by_position'),
  user: inWorkspace('by_user', 'user'),
  session: inWorkspace('by_session', 'session'),
  status: inWorkspace('by_status', 'status'),
  task: inWorkspace('by_task', 'task'),
} as const satisfies Record<string, IndexSpec>;

/** One document per task row from before Counterfoil, `<workspace>/<record key>`. No command and no call changes one (promise 30). */
export const importedTasksProjection: Projection<ImportedTaskDocument> = {
  name: 'imported_tasks',
  indexes: Object.values(IMPORTED_TASK_INDEXES),
  idOf: (event) => (isTask(event) ? importedIdOf(event) : null),
  evolve: (doc, event) => (isTask(event) ? evolveTask(doc, event) : doc),
  fields: importedTaskFields,
};

/** The values that imported tasks are filtered and sorted by. */
export function importedTaskFields(doc: ImportedTaskDocument): Readonly<Record<string, FieldValue>> {
  return {
    workspace: doc.workspaceId,
    user: doc.userId,
    session: doc.sessionId,
    status: doc.status,
    task: indexable(doc.taskId),
    importedPosition: sortable(doc.importedPosition),
  };
}

const isTask = (event: LedgerEvent): event is TaskImported => event.type === 'HistoricalTaskImported';

/**
 * Old databases rewrite their rows, and are imported in any order: of the versions the greatest counts, whichever came last. A row keeps
 * its place in lists.
 */
function evolveTask(doc: ImportedTaskDocument | null, event: TaskImported): ImportedTaskDocument {
  const version = versionOf(event);
  if (doc === null) return version;
  const { revision, position } = version;
  return {
    ...(isGreater(version, doc) ? version : doc),
    versions: doc.versions + 1,
    importedPosition: doc.importedPosition,
    revision,
    position,
  };
}

type Version = Pick<ImportedTaskDocument, 'updatedAt' | 'contentDigest'>;

/** A version without a time is older than any with one; of two of one time the digests decide, so that every order ends alike. */
function isGreater(version: Version, other: Version): boolean {
  const [time, otherTime] = [sortableTime(version.updatedAt) ?? '', sortableTime(other.updatedAt) ?? ''];
  return time === otherTime ? version.contentDigest > other.contentDigest : time > otherTime;
}

function versionOf(event: TaskImported): ImportedTaskDocument {
  const { data } = event;
  const position = event.position.toString();
  return {
    ...recordFacts(event),
    taskId: data.coordinates['taskId'] ?? null,
    status: data.status,
    recordedStatus: data.recordedStatus,
    evidenceCount: data.evidenceCount,
    createdAt: data.createdAt,
    updatedAt: data.updatedAt,
    contentDigest: data.contentDigest,
    versions: 1,
    importedPosition: position,
    revision: event.revision.toString(),
    position,
  };
}
