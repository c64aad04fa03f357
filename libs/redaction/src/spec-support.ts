import type { FingerprintKey } from '@counterfoil/canonical';
import type { KnownSecret, Payload } from '@counterfoil/contracts';
import { redactRecord } from './record/redact-record.js';

/** A key for specs. */
export const KEY: FingerprintKey = { id: 'k1', secret: new Uint8Array(32).fill(7) };

export interface Redacted {
  readonly payload: Payload;
  readonly learned: readonly KnownSecret[];
}

function only(kind: 'json' | 'text', text: string, limit: number | undefined, known: readonly KnownSecret[]): Redacted {
  const limits = limit === undefined ? {} : { it: limit };
  const { payloads, learned } = redactRecord({ it: { kind, text } }, { key: KEY, known, limits });
  if (payloads.it === null) throw new Error('no payload');
  return { payload: payloads.it, learned };
}

/** What the door makes of one JSON text. */
export const redactJson = (text: string, limit?: number, known: readonly KnownSecret[] = []): Redacted => only('json', text, limit, known);

/** What the door makes of one free text. */
export const redactFree = (text: string, limit?: number, known: readonly KnownSecret[] = []): Redacted => only('text', text, limit, known);

/** The text that a payload of free text holds. */
export const textOf = (payload: Payload | null): string => JSON.parse(payload?.json ?? 'null') as string;

/** A text put into a JSON string so many times. */
export function nested(text: string, levels: number): string {
  let out = text;
  for (let level = 0; level < levels; level++) out = JSON.stringify(out);
  return out;
}

/** A private key that is none. */
export function fakePem(lines = 6, label = 'RSA PRIVATE KEY'): string {
  const body = Array.from({ length: lines }, (_, at) => `MIIFAKE${String(at)}${'KeyLine'.repeat(8)}x/`);
  return [`-----BEGIN ${label}-----`, ...body, 'FAKEend=', `-----END ${label}-----`].join('\n');
}
