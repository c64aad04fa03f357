import {
  ApprovalDocument,
  Association,
  CallAnswer,
  CallView,
  CopyDocument,
  ImportedTaskReading,
  ImportView,
  KeyView,
  Outcome,
  Payload,
  PlanDocument,
  Policy,
  PositionToken,
  PROBLEMS,
  Provenance,
  QuarantineDocument,
  ReceiptDocument,
  SessionDocument,
  TaskReading,
  ToolDocument,
  ToolSpec,
  Verification,
} from '@counterfoil/contracts';
import { COMPAT_KEYS } from '@counterfoil/read-models';
import { z } from 'zod';
import { named, type Named } from './route-entry.js';

/** One keyset page of anything. */
export const pageOf = (item: z.ZodType): z.ZodType =>
  z.object({
    items: z.array(item),
    nextCursor: z.string().nullable(),
    position: PositionToken,
    incomplete: z.literal('stream_parked').optional(),
  });

const codes = Object.keys(PROBLEMS);

/** RFC 9457. */
export const Problem = z.looseObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  code: z.enum(codes),
  detail: z.string(),
  advice: z.string(),
  retryable: z.boolean(),
  correlationId: z.string(),
});

export const Receipt = ReceiptDocument.omit({ original: true, requestedPosition: true, endedPosition: true });
export const Approval = ApprovalDocument.omit({ requestedPosition: true });
export const ApprovalShown = Approval.extend({
  call: CallView.pick({ turn: true, callId: true, tool: true, taskId: true }).extend({
    requestedBy: z.string().nullable(),
    arguments: Payload,
    /** The arguments' text with every invisible or direction-changing character spelled out; `shownAs` is the same of the rest. */
    shown: z.string(),
    shownAs: z.object({ source: z.string().nullable(), name: z.string(), turn: z.string().nullable(), callId: z.string() }),
    /** What was asked for, where the approver granted something else. */
    amendment: ReceiptDocument.shape.amendment.unwrap().extend({ shown: z.string() }).nullable(),
  }),
});
export const Session = SessionDocument.omit({ openedPosition: true });
export const SessionAnswer = z.object({
  session: SessionDocument.pick({ sessionId: true, userId: true, agent: true, parent: true, state: true }),
  revision: z.string(),
  position: PositionToken,
});

/** The keys of receipts from before Counterfoil; of an imported one those that its record had, as it had them, known here or not. */
export const CompatReceipt = z
  .object({
    ...Object.fromEntries([...COMPAT_KEYS, 'args_sha256', 'unmatched_reason'].map((key) => [key, z.unknown().optional()])),
    cut: z.boolean(),
  })
  .catchall(z.unknown());

export const Plan = PlanDocument.omit({ activatedPosition: true });
export const Task = TaskReading;
/** A task from before Counterfoil. */
export const ImportedTask = ImportedTaskReading;
export const ReceiptCopy = CopyDocument.omit({ importedPosition: true });

export const Tool = ToolDocument.omit({ registeredPosition: true });
const registry = { revision: z.string().nullable(), position: PositionToken };
export const RegisteredTool = z.object({ tool: ToolSpec, ...registry });
export const RetiredTool = z.object({ tool: ToolSpec.pick({ source: true, name: true }), ...registry });
export const PolicyAnswer = z.object({
  /** Null while none was set: then everything is allowed. */
  version: z.int().nullable(),
  policy: Policy,
  setAt: z.string().nullable(),
  setBy: z.string().nullable(),
  ...registry,
});

export const ImportAnswer = ImportView.extend({
  /** Events that the import added; of a dry run, that it would have added. */
  eventsAdded: z.int(),
  position: PositionToken.nullable(),
});
export const QuarantinedRecord = QuarantineDocument.omit({ importedPosition: true });

export const CreatedKey = KeyView.extend({ secret: z.string(), position: PositionToken });
export const KeyList = z.object({ items: z.array(KeyView), nextCursor: z.null() });

export const Liveness = z.object({ status: z.literal('live') });
export const Readiness = z.object({
  status: z.enum(['ready', 'not_ready']),
  /** The stores that don't answer. */
  unreachable: z.array(z.enum(['event_store', 'read_models'])).optional(),
  /** Null while they can't be read. */
  projections: z
    .object({
      state: z.string(),
      generation: z.int(),
      lagPositions: z.string(),
      parkedStreams: z.int(),
      fault: z.string().nullable(),
      unownedPartitions: z.int().optional(),
    })
    .nullable(),
});
export const ApiDescription = z.looseObject({ openapi: z.string() });

/** Schemas that others refer to by name instead of repeating them. */
export const SHARED: readonly Named[] = [
  named('Problem', Problem),
  named('Payload', Payload),
  named('Outcome', Outcome),
  named('Verification', Verification),
  named('Association', Association),
  named('Provenance', Provenance),
  named('CallView', CallView),
  named('CallAnswer', CallAnswer),
  named('Receipt', Receipt),
  named('Approval', Approval),
  named('Session', Session),
  named('Plan', Plan),
  named('Task', Task),
  named('ImportedTask', ImportedTask),
  named('Tool', Tool),
  named('Import', ImportView),
  named('QuarantinedRecord', QuarantinedRecord),
  named('Key', KeyView),
];
