import { Injectable, type PipeTransform } from '@nestjs/common';
import { readBody } from '@counterfoil/canonical';
import { DomainError } from '@counterfoil/contracts';
import { redactText } from '@counterfoil/redaction';
import type { z } from 'zod';

/** The envelope of a request is flat; only payloads, which are kept raw, may be deep. */
const ENVELOPE_DEPTH = 32;
/** More than the largest plan or batch has; each value outside of payloads is read into memory and validated. */
const ENVELOPE_VALUES = 20_000;
const ERRORS_SHOWN = 20;

/**
 * Reads a body with our own strict reader, and validates it. Nothing else ever parses a body: JSON.parse would lose duplicate keys,
 * `__proto__` and big integers without a word (promise 5).
 */
@Injectable()
export class JsonBodyPipe<S extends z.ZodType> implements PipeTransform<unknown, z.infer<S>> {
  /** @param raw members that are kept as their exact text */
  constructor(
    private readonly schema: S,
    private readonly raw: readonly string[] = [],
  ) {}

  /** @throws DomainError `invalid_request`, BodyError */
  transform(body: unknown): z.infer<S> {
    const bytes = body instanceof Uint8Array && body.length > 0 ? body : new TextEncoder().encode('{}');
    const value = readBody(bytes, { raw: this.raw, maxDepth: ENVELOPE_DEPTH, maxValues: ENVELOPE_VALUES });
    return validate(this.schema, value);
  }
}

/** @throws DomainError `invalid_request` with the path and the matter of each fault; what the caller sent is never quoted */
export function validate<S extends z.ZodType>(schema: S, value: unknown): z.infer<S> {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const errors = parsed.error.issues.slice(0, ERRORS_SHOWN).map((issue) => ({
    path: issue.path.map(String).join('.'),
    message: issue.code === 'unrecognized_keys' ? unknownFields(issue.keys) : issue.message,
  }));
  throw new DomainError('invalid_request', 'The fields in `errors` do not fit.', { errors });
}

function unknownFields(keys: readonly string[]): string {
  const more = keys.length > ERRORS_SHOWN ? ` and ${String(keys.length - ERRORS_SHOWN)} more` : '';
  return `unknown field: ${keys.slice(0, ERRORS_SHOWN).map(shownKey).join(', ')}${more}`;
}

/** A key is the caller's text: shown so that a typo can be found, but cut, and never a secret. */
function shownKey(key: string): string {
  return redactText(key.length > 64 ? `${key.slice(0, 64).toWellFormed()}…` : key);
}
