import type { JsonObject } from './json-text.js';

/** The columns of the old tables of events and tasks, in all generations. */
export const KNOWN_COLUMNS: ReadonlySet<string> = new Set(
  [
    'id event_type payload user_id workspace_id session_id task_id created_at',
    'parent_id description status priority dependencies acceptance attempts checkpoint evidence updated_at',
  ].flatMap((names) => names.split(' ')),
);

/**
 * What a row says: without columns that nobody knows and that hold nothing. A column that a later version adds to a table is empty in all rows
 * of before, and they are the same rows.
 *
 * @returns the row itself where nothing is to be left out
 */
export function saidBy(row: JsonObject): JsonObject {
  const isSaid = ([name, value]: readonly [string, unknown]): boolean => value !== null || KNOWN_COLUMNS.has(name);
  const members = Object.entries(row);
  return members.every(isSaid) ? row : Object.fromEntries(members.filter(isSaid));
}
