/** The stream is not at the revision that the append expected; `actual` null: it doesn't exist. Nothing was stored. */
export class WrongExpectedRevisionError extends Error {
  readonly code = 'wrong_expected_revision';
  constructor(
    readonly stream: string,
    readonly actual: bigint | null,
  ) {
    super('the stream is not at the expected revision');
    this.name = 'WrongExpectedRevisionError';
  }
}

/** The store can't be reached or is busy; nothing was stored. */
export class StoreUnavailableError extends Error {
  readonly code = 'store_unavailable';
  constructor(detail: string, options?: ErrorOptions) {
    super(detail, options);
    this.name = 'StoreUnavailableError';
  }
}

/** The answer of an append was lost: it may be stored, or may land later. Send the same append again (promise 26). */
export class OutcomeUnknownError extends Error {
  readonly code = 'outcome_unknown';
  /** Whether the store has sent it again for as long as it makes sense: then nobody needs to at once. */
  readonly wasResent: boolean;
  constructor(detail: string, { wasResent = false, ...options }: ErrorOptions & { readonly wasResent?: boolean } = {}) {
    super(detail, options);
    this.name = 'OutcomeUnknownError';
    this.wasResent = wasResent;
  }
}

/** The ledger was sealed: its last event says which one goes on in its place (design §6, `copy --seal`). Nothing was stored. */
export class LedgerSealedError extends Error {
  readonly code = 'ledger_sealed';
  constructor() {
    super('the ledger was sealed and takes nothing any more');
    this.name = 'LedgerSealedError';
  }
}

/** A store was to be opened that must be there already, and no ledger is. */
export class LedgerMissingError extends Error {
  readonly code = 'ledger_missing';
  constructor(detail: string) {
    super(detail);
    this.name = 'LedgerMissingError';
  }
}

/** An event over 256 KiB or an append over 768 KiB (design §4, Events). Nothing was stored. */
export class EventTooLargeError extends Error {
  readonly code = 'event_too_large';
  constructor(detail: string) {
    super(detail);
    this.name = 'EventTooLargeError';
  }
}

/** An event that its schema refuses: a fault of ours, never stored (promise 25). */
export class InvalidEventError extends Error {
  readonly code = 'invalid_event';
  constructor(
    readonly type: string,
    detail: string,
  ) {
    super(`${type}: ${detail}`);
    this.name = 'InvalidEventError';
  }
}

/** A stored event that can't be brought to its current form: named by where it stands. */
export class UpcastError extends Error {
  readonly code = 'upcast_failed';
  constructor(detail: string, options?: ErrorOptions) {
    super(detail, options);
    this.name = 'UpcastError';
  }
}

/** The upcasting registry has a hole or a doubled step: a start-up error (promise 25). */
export class BrokenUpcastChainError extends Error {
  readonly code = 'broken_upcast_chain';
  constructor(detail: string) {
    super(detail);
    this.name = 'BrokenUpcastChainError';
  }
}

/**
 * A subscription was to go on after an event that the store doesn't hold (any more): it was restored from an older copy, or cut, or it
 * is another store. What was made from its events must be made anew; going on would skip or mix histories.
 */
export class CheckpointAheadOfStoreError extends Error {
  readonly code = 'checkpoint_ahead_of_store';
  constructor(
    readonly position: bigint,
    detail: string,
  ) {
    super(`position ${String(position)}: ${detail}`);
    this.name = 'CheckpointAheadOfStoreError';
  }
}

/**
 * An alarm: a stream is not what an append-only one can be (a revision that can't follow, a hole, a deleted stream). Somebody with more
 * rights than this program has changed it.
 */
export class StreamIntegrityError extends Error {
  readonly code = 'stream_integrity';
  constructor(
    readonly stream: string,
    detail: string,
  ) {
    super(`stream ${JSON.stringify(stream)}: ${detail}`);
    this.name = 'StreamIntegrityError';
  }
}

/** A setting with which a store can't be opened. Says what is wrong with it, never its value: it may hold a password. */
export class StoreSettingsError extends Error {
  readonly code = 'store_settings';
  constructor(detail: string) {
    super(detail);
    this.name = 'StoreSettingsError';
  }
}
