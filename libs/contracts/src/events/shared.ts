import { z } from 'zod';
import { CallId, CallIdSource, ReceiptId, SessionId, SideEffectClass, ToolName, ToolSource, Turn, UserId, WorkspaceId } from '../ids.js';
import { Payload } from '../payload.js';
import { KeyedDigest, Timestamp } from '../text.js';

/** How a call came to belong to a task, or to none (promises 13, 30, 31). */
export const Association = z.object({
  kind: z.enum(['none', 'task', 'recorded', 'inferred']),
  taskId: z.string().nullable(),
  /**
   * Of history, where the task is said: in the receipt itself or its row (`receipt`), by an explicit id of the call (`explicit`), only by
   * the task's row in which it stands as evidence (`task_row`), only by a later copy of the receipt (`later_copy`); `conflicting` where
   * two tasks are said, and so none. Of the legacy adapter, the old rule that found it.
   */
  basis: z.string().optional(),
});
export type Association = z.infer<typeof Association>;

/** Which tool, and what the ledger holds of it; `declared` is what the client said, kept and never used. */
export const ToolFacts = z.object({
  source: ToolSource.nullable(),
  name: ToolName,
  version: z.string().nullable(),
  specDigest: z.string().nullable(),
  sideEffects: SideEffectClass,
  declared: Payload.nullable(),
});
export type ToolFacts = z.infer<typeof ToolFacts>;

/** Where a record came from. */
export const Provenance = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('live') }),
  z.object({
    kind: z.literal('imported'),
    format: z.string(),
    generation: z.string(),
    surface: z.string(),
    /** The record's own coordinates as recorded: source workspace, user, session, event id, receipt id. */
    coordinates: z.record(z.string(), z.string().nullable()),
    /** Facts that could only be had before redaction (design §4). */
    argumentsFidelity: z.array(z.string()),
    fingerprint: z.enum(['match', 'mismatch', 'not_recomputable']),
    contentDigest: z.string(),
    anomalies: z.array(z.string()),
    sightings: z.array(z.record(z.string(), z.string().nullable())),
    /** What the importer said of records that name no user or session themselves. */
    given: z.object({ userId: z.string().nullable(), sessionId: z.string().nullable() }).optional(),
  }),
]);
export type Provenance = z.infer<typeof Provenance>;

/** The scope and identity with which every call begins (promise 6). */
export const CallIdentity = z.object({
  receiptId: ReceiptId,
  workspaceId: WorkspaceId,
  /** Null only on imported receipts that recorded none. */
  userId: UserId.nullable(),
  sessionId: SessionId.nullable(),
  turn: Turn.nullable(),
  callId: CallId,
  callIdSource: CallIdSource,
});

export const OutcomeStatus = z.enum(['succeeded', 'failed', 'timed_out', 'interrupted', 'cancelled']);
export type OutcomeStatus = z.infer<typeof OutcomeStatus>;

/** What happened, as typed data of the runner; text never decides (promise 18). */
export const Outcome = z.object({
  status: OutcomeStatus,
  exitCode: z.int().min(-2147483648).max(4294967295).nullable(),
  signal: z.string().nullable(),
  isError: z.boolean().nullable(),
  error: z.object({ code: z.string().nullable(), message: Payload.nullable() }).nullable(),
  /** What the runner said, where the tool's declared success exit codes say otherwise: these win (promise 18). */
  reportedStatus: OutcomeStatus.optional(),
});
export type Outcome = z.infer<typeof Outcome>;

/**
 * What a call is to bring about, fixed when it is requested: from the tool's effect mapping and the arguments, never from a report
 * (promise 19). `not_applicable`: a registered read_only tool without a mapping. `unavailable`: nothing is known to expect.
 */
export const Expectation = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('file_write'),
    pathFingerprint: KeyedDigest,
    contentDigest: KeyedDigest,
    bytes: z.int().nonnegative(),
  }),
  z.object({ kind: z.literal('command'), fingerprint: KeyedDigest }),
  z.object({ kind: z.literal('not_applicable') }),
  z.object({ kind: z.literal('unavailable') }),
]);
export type Expectation = z.infer<typeof Expectation>;

/** What was observed about the effect, apart from the outcome (promise 19). */
export const Verification = z.object({
  state: z.enum(['verified', 'failed', 'unavailable', 'not_applicable']),
  method: z.string().nullable(),
  expected: Payload.nullable(),
  before: Payload.nullable(),
  after: Payload.nullable(),
  change: z.enum(['changed', 'unchanged', 'unknown']).nullable(),
});
export type Verification = z.infer<typeof Verification>;

export const ReportedTimes = z.object({ startedAt: Timestamp.nullable(), completedAt: Timestamp.nullable() });
