/** One keyset page of a query (design §7, `page`). */
export interface Page<T> {
  readonly items: readonly T[];
  readonly nextCursor: string | null;
  readonly position: string;
}
