/**
 * A position or revision as a number to sort by. Documents keep the decimal text; positions stay far below 2^53 in every store of ours
 * (SQLite counts events, EventStoreDB counts bytes).
 */
export function sortable(decimal: string): number {
  return Number(decimal);
}

/** Milliseconds since the epoch of an RFC 3339 time, null if it is none. */
export function epochMs(time: string): number | null {
  const ms = Date.parse(time);
  return Number.isNaN(ms) ? null : ms;
}
