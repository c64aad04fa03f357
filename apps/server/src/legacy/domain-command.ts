import type { LegacyExecutionBody, RawValue } from '@counterfoil/contracts';
import { signalOf, toolNamed } from '@counterfoil/history';
import type { FreeInput, ReportLegacyExecution } from '@counterfoil/session';
import { oldArguments } from './old-arguments.js';

/** A body as it came, turned into what the decider takes: here the old tools' own tables are read, which it can't see. Pure. */
export function toLegacyReport(body: LegacyExecutionBody): ReportLegacyExecution {
  const args = given(body.args);
  const toolName = toolNamed(body.action);
  const { admission, text } = oldArguments(toolName, args);
  const { exitCode = null, failure = null, generation = null } = body;
  return {
    type: 'ReportLegacyExecution',
    turn: body.turn,
    action: body.action,
    toolName,
    args: freeOf(args),
    argsText: text,
    arguments: admission,
    result: freeOf(given(body.result)),
    success: body.success,
    authorized: body.authorized ?? null,
    startedAt: body.startedAt ?? null,
    completedAt: body.completedAt ?? null,
    receiptId: body.receiptId ?? null,
    operationId: body.operationId ?? null,
    failure,
    exitCode,
    signal: exitCode === null ? null : signalOf(exitCode),
    verifiedEffect: freeOf(given(body.verifiedEffect)),
    acceptance: freeOf(given(body.acceptance)),
    taskId: body.taskId ?? null,
    planId: body.planId ?? null,
    generation,
  };
}

/** Null and absent say the same: the old runtime had nothing there. */
const given = (value: RawValue | undefined): RawValue | null => (value === undefined || value.text === 'null' ? null : value);

const freeOf = (value: RawValue | null): FreeInput | null =>
  value === null ? null : { kind: 'json', text: value.text, anomalies: value.anomalies };
