/** The store can't be reached or stays busy. What was asked for may be sent again: every write is guarded. */
export class DocumentStoreUnavailableError extends Error {
  readonly code = 'document_store_unavailable';
  constructor(detail: string, options?: ErrorOptions) {
    super(detail, options);
    this.name = 'DocumentStoreUnavailableError';
  }
}

/** A setting with which a store can't be opened. Says what is wrong with it, never its value: it may hold a password. */
export class DocumentStoreSettingsError extends Error {
  readonly code = 'document_store_settings';
  constructor(detail: string) {
    super(detail);
    this.name = 'DocumentStoreSettingsError';
  }
}

/** A collection of this name exists with other indexes: a changed read model needs a new set version (design §5, Ports). */
export class CollectionSpecMismatchError extends Error {
  readonly code = 'collection_spec_mismatch';
  constructor(readonly collection: string) {
    super(`the collection ${collection} exists with other indexes; raise the version of its projection set`);
    this.name = 'CollectionSpecMismatchError';
  }
}

/** A name or an index that no adapter can hold: a fault in the program. */
export class InvalidCollectionSpecError extends Error {
  readonly code = 'invalid_collection_spec';
  constructor(detail: string) {
    super(detail);
    this.name = 'InvalidCollectionSpecError';
  }
}

/** The collection is gone: its generation was dropped. Read the pointer again. */
export class CollectionDroppedError extends Error {
  readonly code = 'collection_dropped';
  constructor(readonly collection: string) {
    super(`the collection ${collection} does not exist any more`);
    this.name = 'CollectionDroppedError';
  }
}

/** The named index can't answer the query in its order, or the query is malformed: a fault in the program. */
export class QueryNotServedError extends Error {
  readonly code = 'query_not_served';
  constructor(detail: string) {
    super(detail);
    this.name = 'QueryNotServedError';
  }
}

/** A write that breaks the rules of the port (a guard that doesn't grow, one id twice): a fault in the program. Nothing was written. */
export class InvalidWriteError extends Error {
  readonly code = 'invalid_write';
  constructor(detail: string) {
    super(detail);
    this.name = 'InvalidWriteError';
  }
}

/** Why one document can't be stored: it breaks a unique index, has no JSON form, is too large, or has an impossible id or field. */
export type RejectionReason = 'unique_violation' | 'not_json' | 'too_large' | 'invalid_id' | 'invalid_field';

/** Documents that this store can never hold as they are. The other documents of the same bulk may have been written. */
export class DocumentRejectedError extends Error {
  readonly code = 'document_rejected';
  constructor(
    readonly collection: string,
    readonly rejected: readonly { readonly id: string; readonly reason: RejectionReason }[],
  ) {
    super(`${String(rejected.length)} document(s) of ${collection} can't be stored: ${rejected[0]?.reason ?? 'unknown'}`);
    this.name = 'DocumentRejectedError';
  }
}
