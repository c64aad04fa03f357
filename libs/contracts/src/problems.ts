/**
 * Every error code that leaves the ledger, with its HTTP status and what the caller may do (RFC 9457 at the edge).
 * docs/errors.md lists the same table and a spec keeps the two equal.
 */
export interface ProblemKind {
  readonly status: number;
  readonly title: string;
  readonly retryable: boolean;
  readonly advice: string;
}

const kind = (status: number, title: string, advice: string, retryable = false): ProblemKind => ({ status, title, retryable, advice });

export const PROBLEMS = {
  // 400: the request could not be read
  malformed_json: kind(400, 'The body is not JSON', 'Send one JSON value as the body, encoded in UTF-8.'),
  invalid_utf8: kind(400, 'The body is not UTF-8', 'Encode the body in UTF-8.'),
  body_anomaly: kind(400, 'The JSON has no exact meaning', 'Remove duplicate keys, lone surrogates and numbers that a double cannot hold.'),
  body_too_deep: kind(400, 'The JSON is nested too deeply', 'Nest the envelope less deeply; payload fields may be deeper.'),
  body_too_many_values: kind(400, 'The JSON has too many values', 'Send fewer values outside of payload fields, in several requests.'),
  invalid_position: kind(400, 'The position is not one', 'Send a position exactly as an earlier answer gave it.'),
  invalid_cursor: kind(400, 'The cursor is not one', 'Start without a cursor.'),
  cursor_mismatch: kind(400, 'The cursor belongs to other filters', 'Use a cursor only with the filters that gave it.'),
  import_unreadable: kind(400, 'The upload cannot be read', 'Send lines of JSON, JSON, or a database that is known; plain or in gzip.'),
  // 401, 403, 404
  unauthenticated: kind(401, 'No valid key', 'Send a valid key as Authorization: Bearer <key>.'),
  forbidden: kind(403, 'The key has no role for this', 'Use a key that has one of the roles that docs/security.md lists for this route.'),
  four_eyes: kind(403, 'The requester cannot approve its own call', 'Let another principal decide.'),
  not_found: kind(404, 'There is nothing here', 'Check the id, and that the key belongs to its workspace and user.'),
  // 413, 415, 422, 431
  body_too_large: kind(413, 'The body is too large', 'Send less, or raise COUNTERFOIL_BODY_LIMIT.'),
  event_too_large: kind(413, 'The record is too large', 'Send less in the fields that are not payloads.'),
  unsupported_media_type: kind(
    415,
    'The body is of a type that is not taken',
    'Send Content-Type: application/json; an import may be of other types.',
  ),
  invalid_request: kind(422, 'The request does not fit its schema', 'Correct the fields that `errors` names.'),
  identifier_is_secret: kind(422, 'An identifier looks like a secret', 'Use an identifier that holds no credential; it was not recorded.'),
  amendment_invalid: kind(422, 'The edited arguments cannot run', 'Correct the arguments; `reason` says what is wrong.'),
  attestation_needs_person: kind(422, 'Only a person attests', 'Attest with a key of a person.'),
  tool_schema_invalid: kind(422, 'The input schema cannot be used', 'Send a JSON Schema that refers to nothing outside of itself.'),
  tool_schema_secret: kind(422, 'The input schema holds a secret', 'Take the secret out of the schema; it was not recorded.'),
  tool_schema_too_large: kind(422, 'The input schema is too large to be kept whole', 'Send a schema of at most 64 KiB.'),
  header_too_large: kind(431, 'The headers are too large', 'Send less in the headers.'),
  // 429
  too_many_streams: kind(429, 'The key has all the streams that it takes', 'Close a stream of this key, then open another.'),
  too_many_imports: kind(429, 'The server runs all the imports that it takes', 'Wait for one to end, then import.'),
  // 409: the state does not allow it
  session_id_unavailable: kind(409, 'The session id is taken', 'Choose another session id.'),
  session_conflict: kind(409, 'The session was opened with other content', 'Open it with the same content, or under another id.'),
  session_closed: kind(409, 'The session is closed', 'Open another session.'),
  session_full: kind(409, 'The session took its 100,000 calls', 'Open another session.'),
  call_conflict: kind(409, 'The call id was used for another request in this turn', 'Give each request of a turn its own call id.'),
  approval_pending: kind(409, 'The call still waits for a decision', 'Wait for the approval, then dispatch.'),
  approval_expired: kind(409, 'The approval has expired', 'Request the call again.'),
  approval_decided: kind(409, 'The approval was decided already', 'Read the call; a decision stands.'),
  approval_voided: kind(409, 'The approval was voided', 'Request the call again.'),
  operation_mismatch: kind(409, 'That is another operation', 'Name the operation that was shown and authorised.'),
  already_dispatched: kind(409, 'Another attempt runs this call', 'Do not run the call.'),
  call_not_dispatchable: kind(409, 'The call has ended', 'Do not run the call.'),
  call_not_dispatched: kind(409, 'The call was never dispatched', 'Dispatch the call before you report on it.'),
  call_ended: kind(409, 'The call has ended', 'Read the call; its end stands.'),
  attempt_mismatch: kind(409, 'Another attempt runs this call', 'Report with the attempt that dispatched the call.'),
  result_conflict: kind(409, 'Another result was recorded', 'Read the receipt; the first result stands.'),
  plan_conflict: kind(409, 'The plan id was used for another plan', 'Give each plan of a session its own id.'),
  plan_not_active: kind(409, 'The plan is not the active one', 'Activate a plan, or name the active one.'),
  plan_full: kind(409, 'The plan takes no more', 'Activate another plan.'),
  task_conflict: kind(409, 'The task id was used for another task', 'Give each task of a plan its own id.'),
  task_state: kind(409, 'The task is in another state', 'Read the task; docs/tasks-and-automation.md lists what follows on what.'),
  completion_unmet: kind(409, 'The criteria are not met', 'Read `unmet`: record evidence that meets each criterion, then complete.'),
  evidence_conflict: kind(409, 'The evidence id was used for other evidence', 'Give each piece of evidence its own id.'),
  evidence_unusable: kind(409, 'That cannot be evidence for this task', 'Read `reason`; run the check again as a call bound to the task.'),
  evidence_full: kind(409, 'The task has all the evidence that it takes', 'Complete the task with what is recorded.'),
  amendment_needs_vault: kind(409, 'The arguments are not stored whole', 'Deny, and let the agent request the call anew.'),
  too_large_to_approve: kind(409, 'An approver could not be shown the whole arguments', 'Grant with smaller arguments, or deny.'),
  import_running: kind(409, 'An import of this name is running', 'Ask how far it is, or import under another name.'),
  registry_full: kind(409, 'The workspace has all the tools that it takes', 'Retire tools that are not used.'),
  key_exists: kind(409, 'The key id is taken', 'Choose another key id, or leave it out.'),
  position_of_another_ledger: kind(409, 'The position is of another ledger', 'Read again from this ledger and use its positions.'),
  ledger_sealed: kind(409, 'The ledger has ended', 'Send the command to the ledger that it was moved to.'),
  // 5xx
  internal: kind(500, 'Something went wrong here', 'Report the correlation id to the operator.'),
  outcome_unknown: kind(503, 'The store did not tell', 'Send the same command again.', true),
  store_unavailable: kind(503, 'The store cannot be reached', 'Try again later; nothing was recorded.', true),
  contention: kind(503, 'Too many writers at once', 'Try again; nothing was recorded.', true),
  batch_stopped: kind(503, 'An item before this one got no answer', 'Send this item again, after the one that failed.', true),
  read_models_unavailable: kind(503, 'The read models cannot be reached', 'Try again later; commands go on being taken.', true),
  stream_parked: kind(
    503,
    'The read models of this stand still',
    'Tell the operator: an event of it cannot be projected. Without Counterfoil-Min-Position you get what was projected before it.',
  ),
  projection_lagging: kind(503, 'The read models are behind', 'Try again after the time in Retry-After.', true),
} as const satisfies Record<string, ProblemKind>;

export type ProblemCode = keyof typeof PROBLEMS;

/** A refusal with a stable code; nothing was recorded (promise 26), but for `outcome_unknown`. */
export class DomainError extends Error {
  constructor(
    readonly code: ProblemCode,
    /** A sentence for the caller; never quotes what the caller sent. */
    readonly detail: string,
    /** Extra members of the problem document. */
    readonly extensions: Readonly<Record<string, unknown>> = {},
  ) {
    super(`${code}: ${detail}`);
    this.name = 'DomainError';
  }
}
