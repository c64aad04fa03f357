import { z } from 'zod';
import { machineWord, raw, type RawValue } from './body-parts.js';
import { PlanId, Turn } from './ids.js';
import { Timestamp, wellFormed } from './text.js';
import { ExitCode } from './tools.js';

/** Ids of the old runtime were any text; a call id is made of them, with a prefix. */
const oldId = wellFormed(1, 480);

/** A text of the old runtime, kept as it is spelled: what a tool printed, and a path, may hold anything (promise 24). */
const rawText = z
  .custom<RawValue>((value) => raw.safeParse(value).success && /^(?:"|null$)/.test((value as RawValue).text), {
    error: 'must be a string or null',
  })
  .meta({ type: 'string', nullable: true });

/** What generations of the old runtime are called (docs/history.md). */
export const OldGeneration = z.enum(['0a', '0b', '0c', '1', '1b', '2', '3']);
export type OldGeneration = z.infer<typeof OldGeneration>;

/**
 * POST /v1/sessions/{s}/legacy-executions: what an old runtime's `execute()` knew once it was through (promise 31). There is no `callId`
 * here, nor a source of one: whoever has a native id uses `observed-calls`.
 */
export const LegacyExecutionBody = z.strictObject({
  /** The tool as the old runtime named it, aliases included. */
  action: wellFormed(1, 256).refine((action) => action.trim() !== '', { error: 'must name a tool' }),
  /** The old argument text, or whatever JSON value was passed instead; null and absent are none. */
  args: raw.optional(),
  result: rawText.optional(),
  /** The old flag: the status follows it alone. Null where the runtime doesn't know. */
  success: z.boolean().nullable(),
  authorized: z.boolean().nullish(),
  startedAt: Timestamp.nullish(),
  completedAt: Timestamp.nullish(),
  receiptId: oldId.nullish(),
  operationId: oldId.nullish(),
  /** The old failure code. */
  failure: machineWord.nullish(),
  exitCode: ExitCode.nullish(),
  verifiedEffect: rawText.optional(),
  acceptance: rawText.optional(),
  /** The task that the old runtime named, if it did: any text, since what is no task of the session is none at all. */
  taskId: oldId.nullish(),
  /** Only a task of this plan is meant. */
  planId: PlanId.nullish(),
  turn: Turn.default('legacy'),
  generation: OldGeneration.nullish(),
  occurredAt: Timestamp.optional(),
});
export type LegacyExecutionBody = z.infer<typeof LegacyExecutionBody>;
