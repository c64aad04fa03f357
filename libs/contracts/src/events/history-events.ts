import { z } from 'zod';
import { ReceiptId, SessionId, UserId, WorkspaceId } from '../ids.js';
import { Payload } from '../payload.js';
import { KeyedDigest } from '../text.js';
import { TaskStatus } from '../views/status.js';

const coordinates = z.record(z.string(), z.string().nullable());

/** What every stored record of history says of itself: one old record as it was (redacted, bounded), with what could only be found out before redaction (design §4). */
const record = {
  workspaceId: WorkspaceId,
  recordKey: z.string(),
  importRun: z.string(),
  format: z.string(),
  generation: z.string(),
  surface: z.string(),
  coordinates,
  original: Payload,
  /** Keyed by the import key, over the record's canonical form before redaction. */
  contentDigest: KeyedDigest,
  anomalies: z.array(z.string()),
};

/** User and session that the importer named for records that name none themselves: the operator's word, kept apart from what was recorded. */
const given = z.object({ userId: UserId.nullable(), sessionId: SessionId.nullable() }).optional();

const call = { argumentsFidelity: z.array(z.string()), fingerprint: z.enum(['match', 'mismatch', 'not_recomputable']) };

export const HistoricalReceiptImported = z.object({ ...record, receiptId: ReceiptId, ...call, given });

/** A copy of a receipt inside another record: never a receipt of its own, kept so that nothing is lost and joined by the old receipt id. */
export const HistoricalCopyImported = z.object({ ...record, ...call, given });

/**
 * A task as its row stood (promise 30): its status as recorded, nothing completed and nothing matched. The source rewrites such rows, so
 * one stream may hold several versions of one row; the one with the greatest `updatedAt` counts, then the greatest content digest.
 * `original` is the row without its evidence, each piece of which is a record of its own.
 */
export const HistoricalTaskImported = z.object({
  ...record,
  given,
  /** In our words; null where the recorded word is none that is known. */
  status: TaskStatus.nullable(),
  recordedStatus: z.string().nullable(),
  evidenceCount: z.int().nonnegative(),
  createdAt: z.string().nullable(),
  updatedAt: z.string().nullable(),
});

/** A change of a task as the old event log says it: kept as history, and proof of nothing. */
export const HistoricalTransitionImported = z.object({
  ...record,
  given,
  /** The old event type, such as `task.succeeded`. */
  transition: z.string(),
  /** The status that it led to, in our words; null where the event doesn't say. */
  to: TaskStatus.nullable(),
});

export const HistoricalRecordQuarantined = z.object({
  workspaceId: WorkspaceId,
  recordKey: z.string(),
  importRun: z.string(),
  reason: z.string(),
  detail: z.string(),
  /** Where in the input: line (1-based) and byte offset. The file's name is not kept: it may hold a secret and says nothing lasting. */
  line: z.int().positive().nullable(),
  byteOffset: z.int().nonnegative().nullable(),
  /** Of a database instead: the table and the row's id in it. */
  table: z.string().nullable().optional(),
  row: z.string().nullable().optional(),
  /** Where in the record, for an entry of it: an RFC 6901 pointer, as if nothing in it were JSON text in a string. */
  member: z.string().nullable().optional(),
  record: Payload,
  contentDigest: KeyedDigest,
});

const count = z.int().nonnegative();

/** What became of records: `read` is always the sum of the five others. */
export const FateCounts = z.object({
  read: count,
  imported: count,
  duplicate: count,
  derivedCopy: count,
  notAReceipt: count,
  quarantined: count,
});
export type FateCounts = z.infer<typeof FateCounts>;

/** An import has ended, and has added something: one that added nothing leaves no trace. In `import-<workspace>/<run>`. */
export const ImportFinished = z.object({
  workspaceId: WorkspaceId,
  importRun: z.string(),
  totals: FateCounts,
  /** Receipts, tasks, later versions of task rows, transitions and copies that this run added. */
  added: z.object({ receipts: count, tasks: count, taskVersions: count, transitions: count, copies: count, quarantined: count }),
  /** By surface, in the order of their names. */
  surfaces: z.record(z.string(), FateCounts),
  reasons: z.record(z.string(), count),
  inputs: count,
  failedInputs: count,
  bytes: count,
  milliseconds: count,
  interrupted: z.boolean(),
});
