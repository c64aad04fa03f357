import { z } from 'zod';
import { freeText, raw } from './body-parts.js';
import { ToolName, ToolSource, type SideEffectClass } from './ids.js';
import { Duplicates, EffectMapping, ExitCode, Policy } from './tools.js';
import { wellFormed } from './text.js';

/**
 * Class names of older generations, and what they mean here: where a name says too little, the wider class (promise 30 and case 42: a
 * class grants nothing, so a wide one costs nothing but caution).
 */
export const OLD_CLASSES = {
  none: 'read_only',
  read: 'read_only',
  mutation: 'destructive',
  external: 'remote',
  stateful: 'remote',
  internal_write: 'internal',
  orchestration: 'internal',
  unknown: 'destructive',
} as const satisfies Record<string, SideEffectClass>;

/** POST /v1/tools: registers a tool, or its newest spec. */
export const RegisterToolBody = z.strictObject({
  source: ToolSource,
  name: ToolName,
  version: wellFormed(1, 256).nullish(),
  inputSchema: raw.optional(),
  /** One of the six classes, or an old name; any other text is `destructive`. */
  sideEffects: wellFormed(1, 64).default('destructive'),
  parallelSafe: z.boolean().default(false),
  capabilities: z.array(wellFormed(1, 128)).max(50).default([]),
  /** By class where it isn't given: `allow` for read_only and process, else `refuse_in_turn` (promise 12). */
  duplicates: Duplicates.optional(),
  successExitCodes: z.array(ExitCode).min(1).max(50).optional(),
  effect: EffectMapping.optional(),
});
export type RegisterToolBody = z.infer<typeof RegisterToolBody>;

/** POST /v1/tools/retire */
export const RetireToolBody = z.strictObject({ source: ToolSource, name: ToolName, reason: freeText.optional() });
export type RetireToolBody = z.infer<typeof RetireToolBody>;

/** PUT /v1/policy */
export const SetPolicyBody = Policy;
export type SetPolicyBody = Policy;
