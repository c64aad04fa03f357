import {
  BatchAnswer,
  BatchBody,
  BatchItem,
  CallAnswer,
  DispatchBody,
  HeartbeatBody,
  ITEMS_PER_BATCH,
  LegacyExecutionBody,
  ObservedCallBody,
  ReasonBody,
  RequestToolCallBody,
  ResultBody,
  type ProblemCode,
} from '@counterfoil/contracts';
import { z } from 'zod';
import { GetToolCallParams } from '../../tool-calls/queries.js';
import { answered, COMMAND_PROBLEMS, createdOr, named, type RouteEntry } from '../route-entry.js';

const answer = named('CallAnswer', CallAnswer);
const reason = named('ReasonBody', ReasonBody);

const DISPATCH_PROBLEMS: readonly ProblemCode[] = [
  ...COMMAND_PROBLEMS,
  'approval_pending',
  'approval_expired',
  'operation_mismatch',
  'already_dispatched',
  'call_not_dispatchable',
];
const RESULT_PROBLEMS: readonly ProblemCode[] = [
  ...COMMAND_PROBLEMS,
  'call_not_dispatched',
  'call_ended',
  'attempt_mismatch',
  'result_conflict',
];

export const TOOL_CALL_ROUTES: readonly RouteEntry[] = [
  {
    route: 'POST /v1/sessions/:s/tool-calls',
    id: 'requestToolCall',
    tag: 'tool-calls',
    summary: 'Request a tool call',
    description: 'Records what the model asked for. Nothing runs yet: `next` says whether to dispatch, to wait for a person, or to stop.',
    body: named('RequestToolCallBody', RequestToolCallBody),
    answers: createdOr(answer),
    problems: [...COMMAND_PROBLEMS, 'call_conflict', 'session_closed', 'session_full'],
  },
  {
    route: 'GET /v1/sessions/:s/tool-calls/:id',
    id: 'getToolCall',
    tag: 'tool-calls',
    summary: 'Read a tool call, or wait for its next state',
    description:
      'Read from the session itself: never stale. With `wait` it answers when there is something to do, or when the time is over.',
    query: GetToolCallParams,
    answers: answered('The call.', answer),
  },
  {
    route: 'POST /v1/sessions/:s/tool-calls/:id/dispatch',
    id: 'dispatchToolCall',
    tag: 'tool-calls',
    summary: 'Ask to run a tool call',
    description: 'Everything is checked again. Run the tool only if the status is `dispatched`; with `amendedArguments`, if there are any.',
    body: named('DispatchBody', DispatchBody),
    answers: answered('The call: dispatched, or rejected with a reason.', answer),
    problems: DISPATCH_PROBLEMS,
  },
  {
    route: 'POST /v1/sessions/:s/tool-calls/:id/result',
    id: 'reportResult',
    tag: 'tool-calls',
    summary: 'Report what happened',
    description: 'Typed data decides; text never does. A result completes no task.',
    body: named('ResultBody', ResultBody),
    answers: answered('The call, ended.', answer),
    problems: RESULT_PROBLEMS,
  },
  {
    route: 'POST /v1/sessions/:s/tool-calls/:id/cancel',
    id: 'cancelToolCall',
    tag: 'tool-calls',
    summary: 'Cancel a tool call',
    description: 'Before dispatch it ends the call; after it, it is a request to the runner.',
    body: reason,
    answers: answered('The call.', answer),
    problems: [...COMMAND_PROBLEMS, 'call_ended'],
  },
  {
    route: 'POST /v1/sessions/:s/tool-calls/:id/heartbeat',
    id: 'extendLease',
    tag: 'tool-calls',
    summary: 'Extend the lease of a running call',
    body: named('HeartbeatBody', HeartbeatBody),
    answers: answered('The call.', answer),
    problems: [...COMMAND_PROBLEMS, 'call_not_dispatched', 'call_ended', 'attempt_mismatch'],
  },
  {
    route: 'POST /v1/sessions/:s/observed-calls',
    id: 'recordObservedCall',
    tag: 'tool-calls',
    summary: 'Record a finished call that ran without the ledger',
    description: 'It is never shown as authorised, and never evidence.',
    body: named('ObservedCallBody', ObservedCallBody),
    answers: createdOr(answer),
    problems: [...COMMAND_PROBLEMS, 'call_conflict', 'session_closed', 'session_full'],
  },
  {
    route: 'POST /v1/sessions/:s/legacy-executions',
    id: 'recordLegacyExecution',
    tag: 'tool-calls',
    summary: 'Record what an old runtime ran',
    description:
      'For runtimes that can only say afterwards what they ran, in the words of their old receipts. The call id is made of the old receipt id, or of the content, and is marked as such. A task that the old matching rules find is an `inferred` association: it binds, completes and proves nothing.',
    body: named('LegacyExecutionBody', LegacyExecutionBody),
    answers: createdOr(answer),
    problems: [...COMMAND_PROBLEMS, 'call_conflict', 'session_closed', 'session_full'],
  },
  {
    route: 'POST /v1/sessions/:s/batch',
    id: 'runBatch',
    tag: 'tool-calls',
    summary: 'Several commands about calls, in order',
    description: 'Each item has an answer of its own: the status and the body that its route alone would have answered.',
    // Each item is validated when its turn comes, by the schema that stands here.
    body: named('BatchBody', BatchBody.extend({ items: z.array(BatchItem).min(1).max(ITEMS_PER_BATCH) })),
    answers: answered('One answer for each item.', named('BatchAnswer', BatchAnswer)),
  },
];
