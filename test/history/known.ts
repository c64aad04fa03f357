export type Json = Readonly<Record<string, unknown>>;

/** What a receipt must read as. */
export interface ExpectedReceipt {
  readonly generation: string;
  readonly tool: string;
  readonly sideEffects: string;
  readonly callId: string;
  readonly callIdSource: 'native' | 'legacy' | 'synthetic';
  readonly status: 'succeeded' | 'failed' | 'unknown';
  readonly authorized: boolean | null;
  readonly failure: string | null;
  readonly exitCode: number | null;
  /** `state/method`. */
  readonly verification: string;
  /** `kind/basis task`, or `none`. */
  readonly association: string;
  readonly fidelity: readonly string[];
  readonly fingerprint: 'match' | 'mismatch' | 'not_recomputable';
  readonly anomalies: readonly string[];
  /** Of the arguments; undefined where the record says them too long, or with a secret. */
  readonly args?: unknown;
  readonly startedAt: string | null;
  /** The receipt as the old runtime had it: what `?view=compat` gives back. */
  readonly old: Json;
  /** Members of it that can't come back as they were: redacted, keyed or cut. */
  readonly changed: readonly string[];
}

/** What becomes of a row, or of a call inside of it. */
export type Fate =
  | { readonly is: 'receipt'; readonly surface: string; readonly expected: ExpectedReceipt }
  | { readonly is: 'copy'; readonly surface: string; readonly receiptId: string | null }
  | {
      readonly is: 'task';
      readonly status: string | null;
      readonly recorded: string;
      readonly evidence: number;
      readonly generation: string;
    }
  | { readonly is: 'transition'; readonly transition: string; readonly to: string | null }
  | { readonly is: 'other' }
  | { readonly is: 'aside'; readonly surface: string; readonly reason: string };

/** A value of a column; bytes become a text of these very bytes. */
export type ColumnValue = string | number | null | Uint8Array;

export type TableName = 'events' | 'tasks' | 'task_events';

/** A row, and what its builder knows of it. */
export interface KnownRow {
  readonly table: TableName;
  readonly columns: Readonly<Record<string, ColumnValue>>;
  /** Its own fate, and then of each call inside of it, in their order. */
  readonly fates: readonly Fate[];
}

/** What stands in a file of lines beside the database: no row. */
export interface KnownLine {
  readonly text: string;
  readonly fates: readonly Fate[];
}
