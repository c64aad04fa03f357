/** Where a process keeps its documents, when not in the ledger file. */
export interface JobDocuments {
  readonly mongodb?: { readonly url: string; readonly database: string };
}

/** What a process of a test does to a ledger file. */
export type Job = JobDocuments & Work;

type Work =
  | {
      /** Adds one to each of a few documents, many times, against others that do the same. */
      readonly kind: 'count_up';
      readonly file: string;
      readonly documents: number;
      readonly times: number;
    }
  | {
      /** Runs an engine over the tally set until it is told to end. */
      readonly kind: 'engine';
      readonly file: string;
      readonly leaseMs: number;
      readonly batchSize: number;
      /** Default 1. */
      readonly partitions?: number;
      /** Kills itself (SIGKILL) after the first batch beyond this position. */
      readonly killAt?: string;
    }
  | {
      /** Rebuilds the tally set. */
      readonly kind: 'rebuild';
      readonly file: string;
      readonly leaseMs: number;
      readonly batchSize: number;
      readonly killAt?: string;
    };

/** What it prints at its end, as one line of JSON. */
export interface JobReport {
  readonly events: number;
  /** Bytes of live heap at the middle and at the end, after a collection; 0 where the process can't collect. */
  readonly heapHalfway: number;
  readonly heapAtEnd: number;
}
