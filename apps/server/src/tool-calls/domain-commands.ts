import { admitArguments, unescapeString, type Admission } from '@counterfoil/canonical';
import { DomainError, type DispatchBody, type RawValue, type RequestToolCallBody, type ResultBody } from '@counterfoil/contracts';
import type { DispatchToolCall, FreeInput, ReportResult, RequestToolCall } from '@counterfoil/session';

/** Bodies as they came, turned into what the decider takes. Pure. */
export function toRequest(body: RequestToolCallBody): RequestToolCall {
  const { declared } = body.tool;
  if (declared?.anomalies.some((anomaly) => anomaly !== 'nul') === true) {
    throw new DomainError('body_anomaly', '`tool.declared` has no exact meaning as JSON.', { anomalies: declared.anomalies });
  }
  return {
    type: 'RequestToolCall',
    callId: body.callId,
    callIdSource: body.callIdSource,
    turn: body.turn,
    tool: { source: body.tool.source, name: body.tool.name, declared: declared?.text ?? null },
    arguments: admit(body),
    taskId: body.taskId ?? null,
    requireApproval: body.requireApproval,
    approvalExpiresSeconds: body.approvalExpiresSeconds,
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
  const { outcome, observation } = body;
  return {
    type: 'ReportResult',
    receiptId,
    attempt: body.attempt,
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
