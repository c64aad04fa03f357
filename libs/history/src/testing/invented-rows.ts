export type RowJson = Record<string, unknown>;

function payload(changes: RowJson = {}): RowJson {
  return {
    receipt_id: 'receipt_aaaabbbbccccddddeeeeffff00001111',
    operation_id: '00112233445566778899aabbccddeeff',
    action: 'read_file',
    args: 'docs/plan.md',
    authorized: true,
    started_at: '2026-05-04T03:02:01.000100+00:00',
    completed_at: '2026-05-04T03:02:01.250000+00:00',
    success: true,
    result: '# Plan',
    failure: null,
    exit_code: null,
    verified_effect: null,
    acceptance: null,
    ...changes,
  };
}

function row(changes: RowJson = {}, payloadChanges: RowJson = {}): RowJson {
  return {
    id: 'evt_11112222333344445555666677778888',
    event_type: 'execution.receipt',
    payload: payload(payloadChanges),
    user_id: 'local',
    workspace_id: 'source-99990000999900009999000099990000',
    session_id: 'chat-invented-7',
    task_id: null,
    created_at: '2026-05-04T03:02:01.300000+00:00',
    ...changes,
  };
}

/** Rows of generation 1 with values of our own, for specs. */
export const invented = { payload, row, line: (changes?: RowJson, inPayload?: RowJson) => JSON.stringify(row(changes, inPayload)) };

/** A row by its number. */
export const inventedEvent = (n: number, changes: RowJson = {}): RowJson => row({ id: `evt_${String(n)}`, ...changes });
