const id = (n: number): string => n.toString(16).padStart(32, '0');

/** The n-th of any number of receipts of generation 1, as a line of an export. */
export function oldRow(
  n: number,
  changes: Readonly<Record<string, unknown>> = {},
  inPayload: Readonly<Record<string, unknown>> = {},
): string {
  return JSON.stringify({
    id: `evt_${id(n)}`,
    event_type: 'execution.receipt',
    payload: {
      receipt_id: `receipt_${id(n)}`,
      operation_id: 'b'.repeat(32),
      action: 'read_file',
      args: `docs/${String(n)}.md`,
      authorized: true,
      started_at: '2026-04-05T06:07:08.000001+00:00',
      completed_at: '2026-04-05T06:07:09.000001+00:00',
      success: true,
      result: `# ${String(n)}`,
      failure: null,
      exit_code: null,
      verified_effect: null,
      acceptance: null,
      ...inPayload,
    },
    user_id: 'local',
    workspace_id: 'source-of-old-rows',
    session_id: 'chat-1',
    task_id: null,
    created_at: '2026-04-05T06:07:10.000001+00:00',
    ...changes,
  });
}

/** Lines of the receipts from..to-1. */
export const oldRows = (from: number, to: number): string => Array.from({ length: to - from }, (_, n) => `${oldRow(from + n)}\n`).join('');
