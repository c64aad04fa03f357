import type { TaskStatus } from '@counterfoil/contracts';
import type { QuarantineReason } from './quarantine-reasons.js';

/** What identifies a record in the system that it came from. Values as recorded; null where nothing usable was recorded. */
export type Coordinates = Readonly<Record<string, string | null>>;

/** A record that can be imported. Everything in it is from before redaction, and none of it may be stored as it is. */
interface OldRecord {
  readonly format: string;
  /** As the record shows it; `unknown` for one that reads like a receipt and keeps to no generation's form. */
  readonly generation: string;
  readonly surface: string;
  /** The record as JSON text, in one spelling for all spellings of it, with nothing in it as JSON text in a string. */
  readonly text: string;
  /** What its key is made of (format, source workspace, event id); null if it has no usable id of its own, and is known by its content. */
  readonly identity: Coordinates | null;
  readonly coordinates: Coordinates;
  /** What the record says, in one spelling for all spellings of it: what the content digest is over. */
  readonly content: string;
  /** When it was created, in UTC; null where it doesn't say. */
  readonly createdAt: string | null;
  readonly anomalies: readonly string[];
  /** Digests over unredacted content that stand in the text: they are keyed before it is stored (promise 4). Lower-case hex. */
  readonly digests: readonly string[];
  /** Whether the stored form of it, redacted and perhaps cut, still says what it said. */
  readonly survives: (storedJson: string) => boolean;
}

/** A tool call; as a `copy` one inside another record, which is never a receipt of its own. */
export interface CallRecord extends OldRecord {
  readonly kind: 'receipt' | 'copy';
  readonly toolName: string;
  readonly argumentsFidelity: readonly string[];
  readonly fingerprint: 'match' | 'mismatch' | 'not_recomputable';
}

/** A task's row. Its source may rewrite it: another content under the same identity is a later version. */
export interface TaskRecord extends OldRecord {
  readonly kind: 'task';
  readonly status: TaskStatus | null;
  readonly recordedStatus: string | null;
  readonly evidenceCount: number;
  readonly updatedAt: string | null;
}

/** A change of a task in the old event log. */
export interface TransitionRecord extends OldRecord {
  readonly kind: 'transition';
  readonly transition: string;
  readonly to: TaskStatus | null;
}

export type ImportableRecord = CallRecord | TaskRecord | TransitionRecord;

export interface NotAReceipt {
  readonly kind: 'not_a_receipt';
  readonly surface: string;
}

export interface PutAside {
  readonly kind: 'quarantine';
  readonly surface: string;
  readonly reason: QuarantineReason;
  /** Of an entry of a record: its own text, and where it stands in there. Null: the whole record. */
  readonly entry: { readonly text: string; readonly member: string | null } | null;
}

/** What one record is. */
export type Recognised = ImportableRecord | NotAReceipt | PutAside;

/** What a line or a row is, and then each record that stands inside of it: one at a time, since one row may hold a million of them. */
export interface Recognition extends Iterable<Recognised> {
  /** How many there are; at least one. */
  readonly count: number;
}
