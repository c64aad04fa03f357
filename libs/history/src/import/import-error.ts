import { LedgerSealedError, OutcomeUnknownError, StoreUnavailableError } from '@counterfoil/event-store';
import { InputError } from '../input/input-error.js';
import type { InputErrorCode } from '../input/input-error.js';
import { IMPORT_FORMATS } from './formats.js';
import type { ImportReport } from './report.js';

/**
 * - `read_failed`, `not_lines`, `unknown_database`: the input is at fault (see InputErrorCode)
 * - `unknown_format`: a format was asked for that nobody reads
 * - `store_failed`: the store could not be reached, after several tries
 * - `ledger_sealed`: the ledger has ended (design §6, `copy --seal`)
 * - `internal`: anything else: a fault of ours
 */
export type ImportErrorCode = InputErrorCode | 'unknown_format' | 'store_failed' | 'ledger_sealed' | 'internal';

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
    if (error instanceof LedgerSealedError)
      return new HistoryImportError('ledger_sealed', 'The ledger was moved, and takes nothing any more.', report, { cause: error });
    const store = error instanceof StoreUnavailableError || error instanceof OutcomeUnknownError;
    const detail = store ? 'The store could not be reached.' : 'The import failed.';
    return new HistoryImportError(store ? 'store_failed' : 'internal', detail, report, { cause: error });
  }

  /** The same failure, with the report of more than what failed. */
  static again({ code, message, cause }: HistoryImportError, report: ImportReport): HistoryImportError {
    return new HistoryImportError(code, message, report, { cause });
  }

  static unknownFormat(report: ImportReport): HistoryImportError {
    return new HistoryImportError('unknown_format', `There is no such format; known are ${IMPORT_FORMATS.join(' and ')}.`, report);
  }
}

/** Whether it is the input's fault alone: others can still be imported. */
export const isOfInput = ({ code }: HistoryImportError): boolean =>
  code === 'read_failed' || code === 'not_lines' || code === 'unknown_database';
