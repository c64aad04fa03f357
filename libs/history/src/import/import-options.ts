import type { EventStore } from '@counterfoil/event-store';
import type { ImportContext } from './prepared.js';
import type { ImportProgress } from './progress.js';
import type { ImportReport } from './report.js';

/** What an import of one input or of several is told. */
export interface RunOptions extends ImportContext {
  readonly store: EventStore;
  /** One of IMPORT_FORMATS; default `auto`. */
  readonly format?: string;
  /** Stops the import between two records; what is on its way to the store is awaited. */
  readonly signal?: AbortSignal;
  /** Bytes of a record that is still read; default 16 MiB. */
  readonly lineLimit?: number;
  /** Parent of the private folders that databases are put into where they can't be read in place; default the system's. */
  readonly temporaryFolder?: string;
  /** Most bytes of a database that comes as a stream or in gzip, unpacked; default 4 GiB. */
  readonly spoolLimit?: number;
  /** Appends on their way at once; default 64. */
  readonly concurrency?: number;
  /** Stores nothing, and says what an import would do. */
  readonly dryRun?: boolean;
}

export interface ImportOptions extends RunOptions {
  /** Called once, before anything is read, with what tells at any time what became of the records so far. */
  readonly onStart?: (soFar: () => ImportReport) => void;
  /** Called at most every 250 ms, and once at the end. */
  readonly onProgress?: (progress: ImportProgress) => void;
}
