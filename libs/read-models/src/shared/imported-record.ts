import { sha256Hex } from '@counterfoil/canonical';
import { SessionId, UserId, type TransitionDocument } from '@counterfoil/contracts';
import type { EventOf } from './events.js';
import { historyKeyOf } from './streams.js';

/** Events of old records that have a document of their own, beside receipts. */
export type RecordEvent = EventOf<'HistoricalTaskImported' | 'HistoricalTransitionImported' | 'HistoricalCopyImported'>;

/** What every document of an imported record begins with. */
export type RecordFacts = Omit<
  TransitionDocument,
  'taskId' | 'transition' | 'to' | 'createdAt' | 'importedPosition' | 'revision' | 'position'
>;

type Coordinates = RecordFacts['coordinates'];

/** Marks of a record with an identifier that could not be kept: too long or no text, or redacted. */
const UNKEPT: readonly string[] = ['identifier_withheld', 'identifier_unusable'];

/** Whether a coordinate that is null may have been something. */
export const isUnkept = (anomalies: readonly string[]): boolean => anomalies.some((anomaly) => UNKEPT.includes(anomaly));

/** Id of an imported record's document. */
export const importedKey = (workspaceId: string, recordKey: string): string => `${workspaceId}/${recordKey}`;

/** The id of the document that a record's stream feeds (promise 27); null in any other stream. */
export const importedIdOf = (event: RecordEvent): string | null => historyKeyOf(event.stream);

/** Key by key, so that the order is always the same (promise 26). User and session: see `recordedOrGiven`. */
export function recordFacts(event: RecordEvent): RecordFacts {
  const { data } = event;
  return {
    recordKey: data.recordKey,
    workspaceId: data.workspaceId,
    userId: recordedOrGiven(data, 'userId', UserId),
    sessionId: recordedOrGiven(data, 'sessionId', SessionId),
    format: data.format,
    generation: data.generation,
    surface: data.surface,
    coordinates: data.coordinates,
    anomalies: data.anomalies,
    importRun: data.importRun,
    original: data.original,
  };
}

/**
 * As recorded, where that is an id by our rules. The importer's word counts for records that say nothing: one that names somebody, in
 * whatever words, is not given to somebody else.
 */
function recordedOrGiven(
  { coordinates, anomalies, given }: RecordEvent['data'],
  name: 'userId' | 'sessionId',
  rule: typeof UserId,
): string | null {
  const recorded = coordinates[name] ?? null;
  if (recorded !== null) return rule.safeParse(recorded).success ? recorded : null;
  return isUnkept(anomalies) ? null : (given?.[name] ?? null);
}

/**
 * Under which key a task's row and what the old event log says of the task find each other: workspace, user, session and task as
 * recorded. The task's id alone would not do: generation 0a gave the tasks of two users one id. SHA-256 of the JSON text, since recorded
 * ids may be any text.
 *
 * @returns null where no task is named, and where it can't be told which one it is: nothing is guessed (promise 30)
 */
export function recordedTaskKey({
  coordinates,
  anomalies,
}: {
  readonly coordinates: Coordinates;
  readonly anomalies: readonly string[];
}): string | null {
  const { workspaceId = null, userId = null, sessionId = null, taskId = null } = coordinates;
  const parts = [workspaceId, userId, sessionId, taskId];
  if (taskId === null || (parts.includes(null) && isUnkept(anomalies))) return null;
  return sha256Hex(JSON.stringify(parts));
}
