import { z } from 'zod';
import { ReceiptId, WorkspaceId } from '../ids.js';
import { Payload } from '../payload.js';
import { KeyedDigest } from '../text.js';

const coordinates = z.record(z.string(), z.string().nullable());

/** One old record as it was (redacted, bounded), with what could only be found out before redaction (design §4). */
export const HistoricalReceiptImported = z.object({
  workspaceId: WorkspaceId,
  receiptId: ReceiptId,
  recordKey: z.string(),
  importRun: z.string(),
  format: z.string(),
  generation: z.string(),
  surface: z.string(),
  coordinates,
  original: Payload,
  /** Keyed by the import key, over the record's canonical form before redaction. */
  contentDigest: KeyedDigest,
  argumentsFidelity: z.array(z.string()),
  fingerprint: z.enum(['match', 'mismatch', 'not_recomputable']),
  anomalies: z.array(z.string()),
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
  record: Payload,
  contentDigest: KeyedDigest,
});
