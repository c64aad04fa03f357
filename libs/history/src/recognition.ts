import type { QuarantineReason } from './quarantine-reasons.js';

/** What identifies a record in the system that it came from. Values as recorded; null where nothing usable was recorded. */
export type Coordinates = Readonly<Record<string, string | null>>;

/** A record that can be imported. Everything in it is from before redaction, and none of it may be stored as it is. */
export interface ReceiptRecord {
  readonly format: string;
  /** As the record shows it; `unknown` for one that reads like a receipt and keeps to no generation's form. */
  readonly generation: string;
  readonly surface: string;
  /** The record's JSON text as it was. */
  readonly text: string;
  /** What its key is made of (format, source workspace, event id); null if it has no usable id of its own. */
  readonly identity: Coordinates | null;
  readonly coordinates: Coordinates;
  /** What the record says, in one spelling for all spellings of it: what the content digest is over. */
  readonly content: string;
  /** When it was created, in UTC. */
  readonly createdAt: string;
  readonly toolName: string;
  readonly argumentsFidelity: readonly string[];
  readonly fingerprint: 'match' | 'mismatch' | 'not_recomputable';
  readonly anomalies: readonly string[];
  /** Whether the stored form of it, redacted and perhaps cut, still says what it said. */
  readonly survives: (storedJson: string) => boolean;
}

export type Recognition =
  | { readonly kind: 'receipt'; readonly record: ReceiptRecord }
  | { readonly kind: 'not_a_receipt' }
  | { readonly kind: 'quarantine'; readonly reason: QuarantineReason; readonly detail: string };
