import { admitArguments } from '@counterfoil/canonical';
import type { ReportLegacyExecution } from '@counterfoil/session';
import { freeJson } from './session-commands.js';

export type LegacyChange = Partial<Omit<ReportLegacyExecution, 'args' | 'argsText' | 'arguments'>> & {
  /** The old argument text; null for none. */
  readonly args?: string | null;
};

/** What an old runtime reports, as the server hands it to the decider: its argument text opaque, its action no alias of another tool. */
export function reportLegacyExecution({ args = 'plain.txt', ...change }: LegacyChange = {}): ReportLegacyExecution {
  const action = change.action ?? 'read_file';
  return {
    type: 'ReportLegacyExecution',
    turn: 'legacy',
    action,
    toolName: action,
    args: args === null ? null : freeJson(JSON.stringify(args)),
    argsText: args ?? '',
    arguments: admitArguments(args === null ? 'null' : JSON.stringify({ args })),
    result: freeJson('"done"'),
    success: true,
    authorized: true,
    startedAt: '2026-11-30T13:23:40.917135+00:00',
    completedAt: '2026-11-30T13:23:41+00:00',
    receiptId: 'receipt_1',
    operationId: null,
    failure: null,
    exitCode: null,
    signal: null,
    verifiedEffect: null,
    acceptance: null,
    taskId: null,
    planId: null,
    generation: null,
    ...change,
  };
}
