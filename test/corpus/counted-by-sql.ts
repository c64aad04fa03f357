import Database from 'better-sqlite3';

/** What plain SQL counts in an old database, under the names of the report. */
export interface SqlCounts {
  readonly events: number;
  readonly tasks: number;
  readonly receipts: number;
  readonly evidence: number;
  readonly transitions: number;
  readonly copies: number;
}

const ALL = {
  events: 'SELECT count(*) FROM events',
  tasks: 'SELECT count(*) FROM tasks',
  receipts: "SELECT count(*) FROM events WHERE event_type IN ('execution.receipt', 'subagent.receipt', 'bug_fix.receipt')",
  evidence: 'SELECT coalesce(sum(json_array_length(evidence)), 0) FROM tasks',
  transitions: "SELECT count(*) FROM events WHERE event_type LIKE 'task.%'",
  // In learning runs, in the stages of bug fixes, and in the events of tasks that carry a piece of evidence.
  copies: `SELECT coalesce(sum(coalesce(json_array_length(payload, '$.tools'), 0) + coalesce(json_array_length(payload, '$.acceptance_evidence'), 0)
             + (CASE event_type WHEN 'bug_fix.stage' THEN coalesce(json_array_length(payload, '$.evidence'), 0) ELSE 0 END)
             + (event_type LIKE 'task.%' AND json_extract(payload, '$.evidence.action') IS NOT NULL)), 0) FROM events`,
} as const satisfies Record<keyof SqlCounts, string>;

export function countedBySql(file: string): SqlCounts {
  const database = new Database(file, { readonly: true, fileMustExist: true });
  try {
    const one = (sql: string): number => Number(database.prepare(sql).pluck().get());
    return Object.fromEntries(Object.entries(ALL).map(([name, sql]) => [name, one(sql)])) as unknown as SqlCounts;
  } finally {
    database.close();
  }
}
