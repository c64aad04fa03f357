import { z } from 'zod';
import { AttemptId, CallId, ReceiptId, SessionId, TaskId, ToolName, ToolSource, Turn, UserId } from './ids.js';
import { OutcomeStatus } from './events/shared.js';
import type { Anomaly } from './payload.js';
import { KeyedDigest, Timestamp, wellFormed } from './text.js';

/** A member of a body that was kept as the exact text in which it came, with what is odd about it (promise 5). */
export interface RawValue {
  readonly text: string;
  readonly anomalies: readonly Anomaly[];
}

const raw = z.custom<RawValue>((value) => typeof value === 'object' && value !== null && 'text' in value && 'anomalies' in value, {
  error: 'must be a JSON value',
});

/** Free text: any well-formed string; redacted and bounded when it is recorded. */
const freeText = z.string();

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

/** Exactly one of these names the arguments: as a JSON value, or as the text that a model produced. */
const eitherArguments = { arguments: raw.optional(), argumentsJson: raw.optional() };

/** POST /v1/sessions/{s}/tool-calls */
export const RequestToolCallBody = z
  .strictObject({
    callId: CallId,
    callIdSource: z.enum(['native', 'synthetic']).default('native'),
    turn: Turn,
    tool: z.strictObject({ source: ToolSource, name: ToolName, declared: raw.optional() }),
    ...eitherArguments,
    taskId: TaskId.optional(),
    requireApproval: z.boolean().default(false),
    approvalExpiresSeconds: z.int().min(1).max(604_800).default(900),
    occurredAt: Timestamp.optional(),
  })
  .refine((body) => (body.arguments === undefined) !== (body.argumentsJson === undefined), {
    error: 'exactly one of arguments and argumentsJson must be given',
    path: ['arguments'],
  });
export type RequestToolCallBody = z.infer<typeof RequestToolCallBody>;

const sha256Hex = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lower-case hex');
const fileState = { exists: z.boolean(), sha256: sha256Hex.optional(), bytes: z.int().nonnegative().optional() };

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

const machineWord = z.string().regex(/^[A-Za-z0-9_.:-]{1,128}$/, 'must be 1 to 128 characters of [A-Za-z0-9_.:-]');

/** POST …/result */
export const ResultBody = z.strictObject({
  attempt: AttemptId,
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
});
export type ResultBody = z.infer<typeof ResultBody>;

/** POST …/heartbeat */
export const HeartbeatBody = z.strictObject({ attempt: AttemptId, leaseSeconds: z.int().min(1).max(86_400).optional() });
export type HeartbeatBody = z.infer<typeof HeartbeatBody>;

/** POST /v1/approvals/{id}/grant: names the operation that the approver was shown. */
export const GrantBody = z.strictObject({ operationId: KeyedDigest, note: freeText.optional() });
export type GrantBody = z.infer<typeof GrantBody>;

/** POST /v1/approvals/{id}/deny */
export const DenyBody = z.strictObject({ operationId: KeyedDigest.optional(), note: freeText.optional() });
export type DenyBody = z.infer<typeof DenyBody>;
