import type { Outcome, Payload, Verification } from '@counterfoil/contracts';

/** A whole, unredacted payload of a value that has a JSON form. */
export function payloadOf(value: unknown): Payload {
  const json = JSON.stringify(value);
  const bytes = new TextEncoder().encode(json).length;
  return { json, bytes, storedBytes: bytes, state: 'whole', digest: digestOf('payload'), redactions: [], anomalies: [] };
}

/** A valid receipt id for a short label of [A-Za-z0-9_-]: the same label, the same id. */
export const receiptNamed = (label: string): string => `rcp_${label.padEnd(22, 'A').slice(0, 22)}`;

/** A keyed digest, and so an operation id, for a short label. */
export const digestOf = (label: string): string => `k1:${label.padEnd(43, '0')}`;

/** The n-th attempt id. */
export const attemptOf = (n: number): string => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;

/** An outcome with nothing beside its status. */
export function outcomeOf(status: Outcome['status'], more: Partial<Outcome> = {}): Outcome {
  return { status, exitCode: null, signal: null, isError: null, error: null, ...more };
}

export function verificationOf(state: Verification['state'], more: Partial<Verification> = {}): Verification {
  return { state, method: null, expected: null, before: null, after: null, change: null, ...more };
}
