/** Longer than any id that a filter takes. */
const LONGEST = 512;

/** Ids of old records may be any text; no store takes a lone surrogate into an index, or sorts a long text quickly. */
export const indexable = (text: string | null): string | null => (text === null ? null : text.slice(0, LONGEST).toWellFormed());
