import { DomainError, type ProblemCode } from '@counterfoil/contracts';
import { LedgerSealedError, OutcomeUnknownError, StoreUnavailableError } from '@counterfoil/event-store';
import { HistoryImportError } from '@counterfoil/history';

/** Why an import failed, in the API's words. */
export interface ImportFailure {
  readonly code: ProblemCode;
  readonly detail: string;
}

/**
 * A store that fails while many appends are on their way leaves it open which of them it took, whichever of them said so first: then
 * nothing may be said of what was recorded (promise 26).
 */
const STORE_FAILED: ImportFailure = {
  code: 'outcome_unknown',
  detail: 'The store did not say whether it recorded all of this; import the same again, which doubles nothing.',
};

const SEALED: ImportFailure = { code: 'ledger_sealed', detail: 'The ledger was moved, and takes nothing any more.' };

/** @param error of importSource or finishRun */
export function failureOf(error: unknown): ImportFailure {
  if (error instanceof OutcomeUnknownError || error instanceof StoreUnavailableError) return STORE_FAILED;
  if (error instanceof LedgerSealedError) return SEALED;
  if (!(error instanceof HistoryImportError)) return { code: 'internal', detail: 'The import could not be completed.' };
  switch (error.code) {
    case 'store_failed':
      return STORE_FAILED;
    case 'ledger_sealed':
      return SEALED;
    case 'internal':
      return { code: 'internal', detail: 'The import could not be completed.' };
    default:
      return { code: 'import_unreadable', detail: error.message };
  }
}

export const problemOfFailure = ({ code, detail }: ImportFailure): DomainError => new DomainError(code, detail);
