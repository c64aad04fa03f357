import { z } from 'zod';
import { FateCounts, ImportFinished } from '../events/history-events.js';
import { Payload } from '../payload.js';
import { TaskStatus } from './status.js';

const coordinates = z.record(z.string(), z.string().nullable());
const document = { revision: z.string(), position: z.string() };
const ofRecord = {
  recordKey: z.string(),
  workspaceId: z.string(),
  /** As recorded, or as the importer said where nothing was recorded; null where neither is an id by our rules. */
  userId: z.string().nullable(),
  sessionId: z.string().nullable(),
  format: z.string(),
  generation: z.string(),
  surface: z.string(),
  coordinates,
  anomalies: z.array(z.string()),
  importRun: z.string(),
  original: Payload,
};

/** The read model of a task row from before Counterfoil: its recorded status, which no command changes. */
export const ImportedTaskDocument = z.object({
  ...ofRecord,
  /** As recorded. Not unique: generation 0a gave two users' tasks one id. */
  taskId: z.string().nullable(),
  status: TaskStatus.nullable(),
  recordedStatus: z.string().nullable(),
  evidenceCount: z.int(),
  createdAt: z.string().nullable(),
  updatedAt: z.string().nullable(),
  /** Content digest of the version that counts, and how many versions of the row were imported. */
  contentDigest: z.string(),
  versions: z.int(),
  importedPosition: z.string(),
  ...document,
});
export type ImportedTaskDocument = z.infer<typeof ImportedTaskDocument>;

/** The read model of a change of a task in the old event log. */
export const TransitionDocument = z.object({
  ...ofRecord,
  taskId: z.string().nullable(),
  transition: z.string(),
  to: TaskStatus.nullable(),
  createdAt: z.string().nullable(),
  importedPosition: z.string(),
  ...document,
});
export type TransitionDocument = z.infer<typeof TransitionDocument>;

/** An imported task as it is read: with what the old event log says of it, oldest first. */
export const ImportedTaskReading = ImportedTaskDocument.omit({ importedPosition: true, contentDigest: true }).extend({
  transitions: z.array(
    z.object({ transition: z.string(), to: TaskStatus.nullable(), createdAt: z.string().nullable(), recordKey: z.string() }),
  ),
  transitionsComplete: z.boolean(),
});
export type ImportedTaskReading = z.infer<typeof ImportedTaskReading>;

/** The read model of a copy of a receipt inside another record: a link document. */
export const CopyDocument = z.object({
  ...ofRecord,
  /** The old receipt id that it shares with what it is a copy of; null where it names none. */
  originReceipt: z.string().nullable(),
  argumentsFidelity: z.array(z.string()),
  fingerprint: z.string(),
  importedPosition: z.string(),
  ...document,
});
export type CopyDocument = z.infer<typeof CopyDocument>;

/** The read model of a record that was put aside. */
export const QuarantineDocument = z.object({
  recordKey: z.string(),
  workspaceId: z.string(),
  importRun: z.string(),
  reason: z.string(),
  detail: z.string(),
  line: z.int().nullable(),
  byteOffset: z.int().nullable(),
  table: z.string().nullable(),
  row: z.string().nullable(),
  member: z.string().nullable(),
  record: Payload,
  importedPosition: z.string(),
  ...document,
});
export type QuarantineDocument = z.infer<typeof QuarantineDocument>;

/** The read model of an import that added something. */
export const ImportDocument = ImportFinished.extend({
  /** Who imported. */
  by: z.string(),
  finishedAt: z.string(),
  finishedPosition: z.string(),
  ...document,
});
export type ImportDocument = z.infer<typeof ImportDocument>;

/** GET /v1/imports/{id}: also of an import that is running in the process that is asked, or that ended there and added nothing. */
export const ImportView = z.object({
  importRun: z.string(),
  state: z.enum(['running', 'finished', 'interrupted', 'failed']),
  totals: FateCounts,
  added: ImportFinished.shape.added,
  surfaces: z.record(z.string(), FateCounts),
  reasons: z.record(z.string(), z.int()),
  bytes: z.int(),
  milliseconds: z.int(),
  by: z.string(),
  finishedAt: z.string().nullable(),
  /** Nothing is stored: the counts say what an import would do. */
  dryRun: z.boolean(),
  /** Of one that failed. */
  error: z.object({ code: z.string(), detail: z.string() }).nullable(),
});
export type ImportView = z.infer<typeof ImportView>;
