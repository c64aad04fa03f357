import { admitArguments, unescapeString, type Admission } from '@counterfoil/canonical';
import {
  DomainError,
  type DispatchBody,
  type GrantBody,
  type ObservedCallBody,
  type RawValue,
  type RequestToolCallBody,
  type ResultBody,
} from '@counterfoil/contracts';
import type {
  AskedCall,
  DispatchToolCall,
  FreeInput,
  ObserveToolCall,
  ReportedRun,
  ReportResult,
  RequestToolCall,
} from '@counterfoil/session';

/** What is kept and never used may not cost more than what is. */
const MOST_DECLARED_UNITS = 64 * 1024;

/** Bodies as they came, turned into what the decider takes. Pure. */
export function toRequest(body: RequestToolCallBody): RequestToolCall {
  return {
    type: 'RequestToolCall',
    ...askedCall(body),
    requireApproval: body.requireApproval,
    approvalExpiresSeconds: body.approvalExpiresSeconds,
  };
}

export function toObserve(body: ObservedCallBody): ObserveToolCall {
  return { type: 'ObserveToolCall', ...askedCall(body), ...reportedRun(body) };
}

function askedCall(body: RequestToolCallBody | ObservedCallBody): AskedCall {
  const { declared } = body.tool;
  if ((declared?.text.length ?? 0) > MOST_DECLARED_UNITS) {
    const message = `must have at most ${String(MOST_DECLARED_UNITS)} characters`;
    throw new DomainError('invalid_request', 'The fields in `errors` do not fit.', { errors: [{ path: 'tool.declared', message }] });
  }
  if (declared?.anomalies.some((anomaly) => anomaly !== 'nul') === true) {
    throw new DomainError('body_anomaly', '`tool.declared` has no exact meaning as JSON.', { anomalies: declared.anomalies });
  }
  return {
    callId: body.callId,
    callIdSource: body.callIdSource,
    turn: body.turn,
    tool: { source: body.tool.source, name: body.tool.name, declared: declared?.text ?? null },
    arguments: admit(body),
    taskId: body.taskId ?? null,
  };
}

export function toDispatch(receiptId: string, body: DispatchBody): DispatchToolCall {
  const { before } = body;
  return {
    type: 'DispatchToolCall',
    receiptId,
    attempt: body.attempt,
    named: body.operationId === undefined ? { arguments: admit(body) } : { operationId: body.operationId },
    before: before === undefined ? null : { exists: before.exists, sha256: before.sha256 ?? null, bytes: before.bytes ?? null },
    leaseSeconds: body.leaseSeconds,
  };
}

export function toReport(receiptId: string, body: ResultBody): ReportResult {
  return { type: 'ReportResult', receiptId, attempt: body.attempt, ...reportedRun(body) };
}

function reportedRun(body: ResultBody | ObservedCallBody): ReportedRun {
  const { outcome, observation } = body;
  return {
    outcome: {
      status: outcome.status,
      exitCode: outcome.exitCode ?? null,
      signal: outcome.signal ?? null,
      isError: outcome.isError ?? null,
      error: outcome.error == null ? null : { code: outcome.error.code ?? null, message: freeOf(outcome.error.message) },
    },
    output: freeOf(body.output),
    observation:
      observation === undefined ? null : { ...observation, sha256: observation.sha256 ?? null, bytes: observation.bytes ?? null },
    startedAt: body.startedAt ?? null,
    completedAt: body.completedAt ?? null,
  };
}

/** The arguments with which an approver wants the call to run instead; null to grant it as it was shown (promise 8). */
export function toAmended({ arguments: edited }: GrantBody): Admission | null {
  return edited === undefined ? null : admitArguments(edited.text, edited.anomalies);
}

export function textInput(text: string | undefined): FreeInput | null {
  return text === undefined ? null : { kind: 'text', text };
}

function freeOf(value: RawValue | undefined): FreeInput | null {
  return value === undefined ? null : { kind: 'json', text: value.text, anomalies: value.anomalies };
}

/**
 * Admits arguments that came as a JSON value, or as the text that a model produced. The schema took exactly one.
 *
 * @throws DomainError `invalid_request` when `argumentsJson` is no string
 */
function admit(body: { readonly arguments?: RawValue | undefined; readonly argumentsJson?: RawValue | undefined }): Admission {
  const text = body.argumentsJson;
  if (text === undefined) return admitArguments(body.arguments?.text ?? 'null', body.arguments?.anomalies);
  if (!text.text.startsWith('"')) {
    throw new DomainError('invalid_request', 'The fields in `errors` do not fit.', {
      errors: [{ path: 'argumentsJson', message: 'must be a string that holds JSON text' }],
    });
  }
  // What is odd about the string's own spelling (a lone surrogate, bad UTF-8) is odd about the text that it holds.
  const inherited = text.anomalies.filter((anomaly) => anomaly === 'invalid_utf8');
  return admitArguments(unescapeString(text.text, 0, text.text.length), inherited);
}
