/** Holds the keys and principals of a ledger, and its end. */
export const ACCESS_STREAM = 'access';
/** The type of the event that ends a ledger; a constant, so that renaming code never renames what is stored. */
export const LEDGER_SEALED = 'LedgerSealed';

/** Whether an append of these events to this stream ends the ledger. */
export const sealsLedger = (stream: string, events: readonly { readonly type: string }[]): boolean =>
  stream === ACCESS_STREAM && events.at(-1)?.type === LEDGER_SEALED;

/** A store in which a ledger can end. */
export interface SealableStore {
  /** So long after LedgerSealed was stored an append that was on its way by then may still be stored, in milliseconds. */
  readonly sealGraceMs: number;
}
