import { z } from 'zod';
import type { Anomaly } from './payload.js';

/** A member of a body that was kept as the exact text in which it came, with what is odd about it (promise 5). */
export interface RawValue {
  readonly text: string;
  readonly anomalies: readonly Anomaly[];
}

export const raw = z.custom<RawValue>((value) => typeof value === 'object' && value !== null && 'text' in value && 'anomalies' in value, {
  error: 'must be a JSON value',
});

/** Free text: any well-formed string; redacted and bounded when it is recorded. */
export const freeText = z.string();

/** Exactly one of these names the arguments: as a JSON value, or as the text that a model produced. */
export const eitherArguments = { arguments: raw.optional(), argumentsJson: raw.optional() };

export const sha256Hex = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in lower-case hex');
export const fileState = { exists: z.boolean(), sha256: sha256Hex.optional(), bytes: z.int().nonnegative().optional() };

export const machineWord = z.string().regex(/^[A-Za-z0-9_.:-]{1,128}$/, 'must be 1 to 128 characters of [A-Za-z0-9_.:-]');
