import { z } from 'zod';
import { Payload } from './payload.js';
import { SideEffectClass, ToolName, ToolSource } from './ids.js';
import { wellFormed } from './text.js';

/** How a repeated operation of a tool is judged at its dispatch (promise 12). */
export const Duplicates = z.enum(['allow', 'refuse_in_turn', 'refuse_in_session']);
export type Duplicates = z.infer<typeof Duplicates>;

/** RFC 6901, at most 512 characters. */
export const JsonPointer = z.string().regex(/^(?:\/(?:[^~/]|~[01]){0,256}){0,32}$/, 'must be a JSON pointer (RFC 6901)');

/** Where in the arguments stands what a call of the tool is to bring about (promise 19). */
export const EffectMapping = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('file_write'), path: JsonPointer, content: JsonPointer }),
  z.strictObject({ kind: z.literal('command'), command: JsonPointer, cwd: JsonPointer.optional() }),
]);
export type EffectMapping = z.infer<typeof EffectMapping>;

export const ExitCode = z.int().min(-2147483648).max(4294967295);

/** What the ledger holds of a registered tool; `inputSchema` is kept whole, as the text in which it came. */
export const ToolSpec = z.object({
  source: ToolSource,
  name: ToolName,
  version: wellFormed(1, 256).nullable(),
  inputSchema: Payload.nullable(),
  sideEffects: SideEffectClass,
  /** The class as it was given, where that was the name of an older generation. */
  declaredClass: z.string().nullable(),
  parallelSafe: z.boolean(),
  capabilities: z.array(z.string()),
  duplicates: Duplicates,
  successExitCodes: z.array(ExitCode).nullable(),
  effect: EffectMapping.nullable(),
  /** `sha256:` and hex, over the RFC 8785 form of all of the above. */
  specDigest: z.string(),
});
export type ToolSpec = z.infer<typeof ToolSpec>;

const ruleId = z.string().regex(/^[A-Za-z0-9._:-]{1,64}$/, 'must be 1 to 64 characters of [A-Za-z0-9._:-]');
/** `*` stands for any run of characters; nothing else is special. */
const pattern = wellFormed(1, 256);

export const PolicyRule = z.strictObject({
  id: ruleId,
  match: z.strictObject({
    source: pattern.default('*'),
    name: pattern.default('*'),
    sideEffects: z.array(SideEffectClass).min(1).max(6).optional(),
  }),
  then: z.enum(['refuse', 'require_approval']),
  /** How long an approval that this rule demands may take, at most. */
  expiresSeconds: z.int().min(1).max(604_800).optional(),
});
export type PolicyRule = z.infer<typeof PolicyRule>;

/** A workspace's policy: the strictest match wins, and none grants anything (promise 10). */
export const Policy = z.strictObject({
  rules: z
    .array(PolicyRule)
    .max(500)
    .refine((rules) => new Set(rules.map((rule) => rule.id)).size === rules.length, { error: 'rule ids must differ' }),
  unknownTools: z.enum(['allow', 'require_approval', 'refuse']).default('allow'),
});
export type Policy = z.infer<typeof Policy>;
