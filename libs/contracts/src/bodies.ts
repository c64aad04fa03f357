import { z } from 'zod';
import { AttemptId, CallId, ReceiptId, SessionId, TaskId, ToolName, ToolSource, Turn, UserId } from './ids.js';
import { OutcomeStatus } from './events/shared.js';
import { eitherArguments, fileState, freeText, machineWord, raw } from './body-parts.js';
import { KeyedDigest, Timestamp, wellFormed } from './text.js';

/** POST /v1/sessions */
export const OpenSessionBody = z.strictObject({
  sessionId: SessionId,
  /** The key's user unless given; another user's is refused as a missing one. */
  userId: UserId.optional(),
  agent: wellFormed(1, 256).optional(),
  parent: z.strictObject({ sessionId: SessionId, receiptId: ReceiptId }).optional(),
});
export type OpenSessionBody = z.infer<typeof OpenSessionBody>;

/** POST …/close and …/cancel */
export const ReasonBody = z.strictObject({ reason: freeText.optional() });
export type ReasonBody = z.infer<typeof ReasonBody>;

const identified = {
  callId: CallId,
  callIdSource: z.enum(['native', 'synthetic']).default('native'),
  turn: Turn,
  tool: z.strictObject({ source: ToolSource, name: ToolName, declared: raw.optional() }),
  ...eitherArguments,
  taskId: TaskId.optional(),
  occurredAt: Timestamp.optional(),
};
const hasOneArguments = (body: { readonly arguments?: unknown; readonly argumentsJson?: unknown }): boolean =>
  (body.arguments === undefined) !== (body.argumentsJson === undefined);
const ONE_ARGUMENTS = { error: 'exactly one of arguments and argumentsJson must be given', path: ['arguments'] };

/** POST /v1/sessions/{s}/tool-calls */
export const RequestToolCallBody = z
  .strictObject({
    ...identified,
    requireApproval: z.boolean().default(false),
    approvalExpiresSeconds: z.int().min(1).max(604_800).default(900),
  })
  .refine(hasOneArguments, ONE_ARGUMENTS);
export type RequestToolCallBody = z.infer<typeof RequestToolCallBody>;

/** POST …/dispatch */
export const DispatchBody = z
  .strictObject({
    attempt: AttemptId,
    ...eitherArguments,
    operationId: KeyedDigest.optional(),
    before: z.strictObject(fileState).optional(),
    leaseSeconds: z.int().min(1).max(86_400).default(60),
  })
  .refine((body) => [body.arguments, body.argumentsJson, body.operationId].filter((named) => named !== undefined).length === 1, {
    error: 'exactly one of operationId, arguments and argumentsJson must name what is to run',
    path: ['operationId'],
  });
export type DispatchBody = z.infer<typeof DispatchBody>;

const finished = {
  outcome: z.strictObject({
    status: OutcomeStatus,
    exitCode: z.int().min(-2147483648).max(4294967295).nullish(),
    signal: machineWord.nullish(),
    isError: z.boolean().nullish(),
    error: z.strictObject({ code: machineWord.nullish(), message: raw.optional() }).nullish(),
  }),
  output: raw.optional(),
  observation: z.strictObject({ method: machineWord, observer: machineWord, ...fileState }).optional(),
  startedAt: Timestamp.nullish(),
  completedAt: Timestamp.nullish(),
};

/** POST …/result */
export const ResultBody = z.strictObject({ attempt: AttemptId, ...finished });
export type ResultBody = z.infer<typeof ResultBody>;

/** POST /v1/sessions/{s}/observed-calls: a call that ran without the ledger, reported afterwards (promise 31). */
export const ObservedCallBody = z.strictObject({ ...identified, ...finished }).refine(hasOneArguments, ONE_ARGUMENTS);
export type ObservedCallBody = z.infer<typeof ObservedCallBody>;

/** POST …/heartbeat */
export const HeartbeatBody = z.strictObject({ attempt: AttemptId, leaseSeconds: z.int().min(1).max(86_400).optional() });
export type HeartbeatBody = z.infer<typeof HeartbeatBody>;

/** POST /v1/approvals/{id}/grant: names the operation that the approver was shown; `arguments` amend it (promise 8). */
export const GrantBody = z.strictObject({ operationId: KeyedDigest, arguments: raw.optional(), note: freeText.optional() });
export type GrantBody = z.infer<typeof GrantBody>;

/** POST /v1/approvals/{id}/deny */
export const DenyBody = z.strictObject({ operationId: KeyedDigest.optional(), note: freeText.optional() });
export type DenyBody = z.infer<typeof DenyBody>;
