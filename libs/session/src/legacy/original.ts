import type { Anomaly } from '@counterfoil/contracts';
import type { FreeInput, ReportLegacyExecution } from '../commands.js';

const said = (value: string | number | boolean | null): FreeInput => ({ kind: 'json', text: JSON.stringify(value) });
const NOTHING = said(null);

/**
 * A report as the old record that it would have been: the old keys in their old order, free members exactly as they came, for
 * `?view=compat`. A digest over unredacted arguments, which some generations wrote, is none of them (promise 4).
 */
export function originalInput(command: ReportLegacyExecution): FreeInput {
  const members: Readonly<Record<string, FreeInput>> = {
    receipt_id: said(command.receiptId),
    operation_id: said(command.operationId),
    action: said(command.action),
    args: command.args ?? NOTHING,
    authorized: said(command.authorized),
    started_at: said(command.startedAt),
    completed_at: said(command.completedAt),
    success: said(command.success),
    result: command.result ?? NOTHING,
    failure: said(command.failure),
    exit_code: said(command.exitCode),
    verified_effect: command.verifiedEffect ?? NOTHING,
    acceptance: command.acceptance ?? NOTHING,
    task_id: said(command.taskId),
  };
  const text = Object.entries(members).map(([key, { text: json }]) => `${JSON.stringify(key)}:${json}`);
  const anomalies = new Set<Anomaly>(Object.values(members).flatMap((member) => member.anomalies ?? []));
  return { kind: 'json', text: `{${text.join(',')}}`, anomalies: [...anomalies] };
}
