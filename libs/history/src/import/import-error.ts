import { OutcomeUnknownError, StoreUnavailableError } from '@counterfoil/event-store';
import type { ImportReport } from './report.js';
import { InputError } from './source.js';

/**
 * - `read_failed`: the input could not be read to its end
 * - `not_lines`: the input is no text of lines: compressed, a database, or UTF-16
 * - `store_failed`: the store could not be reached, after several tries
 * - `internal`: anything else: a fault of ours
 */
export type ImportErrorCode = 'read_failed' | 'not_lines' | 'store_failed' | 'internal';

/** The import stopped. What `report` counts was stored; running the import again completes it and doubles nothing. */
export class HistoryImportError extends Error {
  constructor(
    readonly code: ImportErrorCode,
    detail: string,
    readonly report: ImportReport,
    options?: ErrorOptions,
  ) {
    super(detail, options);
    this.name = 'HistoryImportError';
  }

  /** Tells what failed: the input, the store, or we. */
  static of(error: unknown, report: ImportReport): HistoryImportError {
    if (error instanceof InputError) return new HistoryImportError(error.code, error.message, report, { cause: error.cause });
    const store = error instanceof StoreUnavailableError || error instanceof OutcomeUnknownError;
    const detail = store ? 'The store could not be reached.' : 'The import failed.';
    return new HistoryImportError(store ? 'store_failed' : 'internal', detail, report, { cause: error });
  }
}
