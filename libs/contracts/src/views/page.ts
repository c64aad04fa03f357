/** One keyset page of a query (design §7, `page`). */
export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
  readonly position: string;
  /** Only where it is so: events of the workspace can't be projected, so that what they say is missing or old here. */
  readonly incomplete?: 'stream_parked';
}
