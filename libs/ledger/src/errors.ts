/** Why a ledger can't be opened: says what the operator may do. Ends the process with a message, never with a stack trace. */
export class LedgerStartError extends Error {
  constructor(
    readonly code:
      'invalid_settings' | 'keys_missing' | 'keys_wrong' | 'keys_unreadable' | 'copy_unfinished' | 'read_models_of_another_ledger',
    detail: string,
  ) {
    super(detail);
    this.name = 'LedgerStartError';
  }
}
