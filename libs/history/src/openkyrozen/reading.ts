import type { QuarantineReason } from '../quarantine-reasons.js';
import { RecordRefused } from './refused.js';

/** What is read of one line or row. */
export interface Reading {
  readonly text: string;
  readonly anomalies: readonly string[];
  readonly invalidUtf8: boolean;
  /** What readers of the text disagree about; a record that says nothing of calls doesn't care. */
  readonly ambiguity: QuarantineReason | null;
}

/** @throws RecordRefused for a record whose bytes are no UTF-8, or whose readers disagree on what it says */
export function refuseUnreadable({ invalidUtf8, ambiguity }: Pick<Reading, 'invalidUtf8' | 'ambiguity'>): void {
  if (invalidUtf8) throw new RecordRefused('invalid_utf8');
  if (ambiguity !== null) throw new RecordRefused(ambiguity);
}
