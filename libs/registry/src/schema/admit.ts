import { admitArguments, type FingerprintKey } from '@counterfoil/canonical';
import { DomainError, PAYLOAD_LIMIT_BYTES, type Payload } from '@counterfoil/contracts';
import { redactRecord, RULES, type RuleSet } from '@counterfoil/redaction';
import type { FreeInput } from '@counterfoil/session';
import { secretRuleInSchema } from './secrets.js';
import { contentOf } from './walk.js';

/** An input schema that may be recorded: whole, with nothing redacted. */
export interface AdmittedSchema {
  readonly payload: Payload;
  /** RFC 8785 form. */
  readonly canonical: string;
}

/** The door without its rules, for what was looked through already: it still bounds, and puts in an envelope. */
const NO_RULES: RuleSet = { ...RULES, kindOf: () => null, mayEndName: () => false, text: [] };

/**
 * Decides whether a schema may be recorded as it is. A schema that went out in part would be another schema, so what holds a secret or
 * is too large is refused, not redacted.
 *
 * @throws DomainError `tool_schema_too_large`, `tool_schema_invalid`, `tool_schema_secret`
 */
export function admitSchema(input: FreeInput, key: FingerprintKey): AdmittedSchema {
  if (input.text.length > PAYLOAD_LIMIT_BYTES) throw tooLarge();
  const admission = admitArguments(input.text, input.anomalies);
  if (!admission.ok) throw invalidSchema(`it has ${admission.detail}`);
  const { canonical } = admission;
  if (!/^(?:\{|true$|false$)/.test(canonical)) throw invalidSchema('it is neither an object nor a boolean');
  const { payload } = redactRecord({ payload: { kind: 'json', text: input.text } }, { key, known: [], rules: NO_RULES }).payloads;
  if (payload?.state !== 'whole') throw tooLarge();
  const root: unknown = JSON.parse(canonical);
  const rule = secretRuleInSchema(root, contentOf(root), key);
  if (rule !== null) throw new DomainError('tool_schema_secret', 'The input schema holds a secret.', { rule });
  // A keyed digest would change with the key, and the spec's with it; there is no secret in it that a plain one would give away.
  return { payload: { ...payload, digest: null }, canonical };
}

/** @param reason in our words, and the schema's own */
export const invalidSchema = (reason: string): DomainError =>
  new DomainError('tool_schema_invalid', `The input schema cannot be used: ${reason}.`, { reason });

const tooLarge = (): DomainError => new DomainError('tool_schema_too_large', 'The input schema is over 64 KiB.');
