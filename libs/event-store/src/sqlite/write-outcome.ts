import type { InvalidEventError, LedgerSealedError, StreamIntegrityError, UpcastError, WrongExpectedRevisionError } from '../errors.js';
import type { AppendResult } from '../port.js';

/** What a write has done: the answer to an append, and how many events it added. */
export interface Written extends AppendResult {
  readonly added: number;
}

/** A write that is refused for itself, while the others of its transaction are stored. */
export type Refused =
  | WrongExpectedRevisionError
  | InvalidEventError
  | LedgerSealedError
  | StreamIntegrityError
  /** The append is a retry of one that is stored, and what is stored can't be read today. */
  | UpcastError;

export type WriteOutcome = Written | Refused;
