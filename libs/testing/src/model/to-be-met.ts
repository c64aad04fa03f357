import { REGISTRY_EVENTS, SESSION_EVENTS } from '@counterfoil/contracts';

const ANSWERS = [
  'OpenSession accepted, same, session_id_unavailable, session_conflict',
  'CloseSession accepted, same, not_found',
  'RequestToolCall accepted, same, not_found, call_conflict, session_closed',
  'ObserveToolCall accepted, same, not_found, call_conflict, session_closed',
  'DispatchToolCall accepted, same, not_found, operation_mismatch, approval_pending, already_dispatched, call_not_dispatchable',
  'ReportResult accepted, same, not_found, call_not_dispatched, attempt_mismatch, result_conflict',
  'CancelToolCall accepted, same, not_found, call_ended',
  'ExtendLease accepted, same, not_found, call_ended, call_not_dispatched, attempt_mismatch',
  'GrantApproval accepted, same, not_found, operation_mismatch, four_eyes, approval_expired, approval_decided, approval_voided',
  'GrantApproval amendment_invalid, amendment_needs_vault',
  'DenyApproval accepted, same, not_found, operation_mismatch, approval_expired, approval_decided, approval_voided',
  'Sweep accepted, same',
  'RegisterTool accepted, same',
  'RetireTool accepted, same, not_found',
  'SetPolicy accepted, same',
  'ActivatePlan accepted, same, not_found, plan_conflict, session_closed',
  'ClosePlan accepted, same, not_found, session_closed',
  'AddTask accepted, same, not_found, plan_not_active, task_conflict, session_closed',
  'ChangeTask accepted, same, not_found, plan_not_active, task_state, session_closed',
  'CompleteTask accepted, same, not_found, plan_not_active, task_state, session_closed',
  'RecordEvidence accepted, same, not_found, plan_not_active, task_state, evidence_conflict, attestation_needs_person, session_closed',
];

const UNMET = [
  ...['missing', 'unknown_evidence', 'unknown_criterion', 'used_twice', 'other_task', 'other_criterion', 'stale'],
  ...['not_a_receipt', 'not_a_command', 'command_differs', 'not_succeeded', 'exit_status', 'not_verified', 'path_differs'],
  ...['content_differs', 'not_attested', 'role_missing', 'acceptance_missing', 'acceptance_not_needed'],
];
const UNUSABLE = ['call_not_reported', 'not_bound', 'observed', 'unknown_criterion'];
const REJECTED = [
  ...['arguments_duplicate_key', 'arguments_not_json', 'arguments_schema_violation', 'task_not_eligible', 'policy_refused'],
  ...['too_large_to_approve', 'plan_not_active', 'tool_changed', 'approval_required', 'duplicate_operation'],
];
const VERIFIED = ['verified', 'verified changed', 'verified unchanged', 'verified unknown', 'failed', 'unavailable', 'not_applicable'];

/** Every answer that a command can get, and every event: a generator that no longer reaches one of them proves less than it says. */
export const TO_BE_MET: readonly string[] = [
  ...ANSWERS.flatMap((line) => {
    const [command = '', ...answers] = line.replaceAll(',', '').split(' ');
    return answers.map((answer) => `${command} ${answer}`);
  }),
  ...UNMET.map((code) => `CompleteTask completion_unmet ${code}`),
  ...UNUSABLE.map((reason) => `RecordEvidence evidence_unusable ${reason}`),
  ...REJECTED.map((code) => `ToolCallRejected ${code}`),
  ...VERIFIED.map((state) => `verification ${state}`),
  ...Object.keys(SESSION_EVENTS),
  ...Object.keys(REGISTRY_EVENTS),
];

/** What is met so seldom that a run need not meet it. */
export const MAY_BE_MET: readonly string[] = ['GrantApproval too_large_to_approve'];
