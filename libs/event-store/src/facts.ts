/** Facts about a ledger, each written once: its epoch aside, which a store draws for itself. */
export interface LedgerFactStore {
  /** A fact as it was when the store was opened, or has been set by it since. */
  meta(key: string): string | null;
  /**
   * Sets a fact if nobody has, also in a race of processes.
   *
   * @returns the value that stands: the given one, or the one that was there
   * @throws StoreUnavailableError, OutcomeUnknownError
   */
  setMetaOnce(key: string, value: string): string | Promise<string>;
  /**
   * All facts but the epoch, as they are now.
   *
   * @throws StoreUnavailableError
   */
  facts(): Promise<ReadonlyMap<string, string>>;
}
