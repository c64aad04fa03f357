import { admitArguments } from '@counterfoil/canonical';
import {
  directoryOf,
  givenOpened,
  operationIdFor,
  receiptIdFor,
  reportLegacyExecution,
  toolSpec,
  type GivenSession,
  type LegacyChange,
} from '@counterfoil/testing';

const RUN_CMD = { source: 'legacy', name: 'run_cmd' };

/** A registry in which the tool that runs commands is known. */
export const runTool = (change: Parameters<typeof toolSpec>[0] = {}) =>
  directoryOf({ tools: [toolSpec({ ...RUN_CMD, sideEffects: 'process', effect: { kind: 'command', command: '/command' }, ...change })] });

/** The report of a command that an old runtime has run. */
export const ran = (command: string, change: LegacyChange = {}) =>
  reportLegacyExecution({
    action: 'run_cmd',
    args: command,
    arguments: admitArguments(JSON.stringify({ command })),
    ...change,
  } as LegacyChange);

export const receiptId = receiptIdFor('legacy:receipt_1', 'legacy');

/** A session with one report in it; its two events are as they should be. */
export const reported = givenOpened()
  .when(reportLegacyExecution({ failure: null, operationId: 'ab'.repeat(16) }))
  .then(
    {
      type: 'ToolCallRequested',
      data: {
        receiptId,
        turn: 'legacy',
        callId: 'legacy:receipt_1',
        callIdSource: 'legacy',
        tool: { source: 'legacy', name: 'read_file', version: null, sideEffects: 'destructive', declared: null },
        arguments: { json: '{"args":"plain.txt"}' },
        operationId: operationIdFor('{"args":"plain.txt"}', { source: 'legacy', name: 'read_file' }),
        association: { kind: 'none', taskId: null },
        planId: null,
        taskId: null,
        approval: { required: false, reasons: [] },
        provenance: { kind: 'live' },
      },
    },
    {
      type: 'ToolCallObserved',
      data: {
        receiptId,
        status: 'succeeded',
        outcome: { status: 'succeeded', exitCode: null, signal: null, isError: null, error: null },
        recorded: { authorized: true, failure: null },
        result: { json: '"done"' },
        verification: { state: 'unavailable', method: null, expected: null, before: null, after: null, change: null },
        times: { startedAt: '2026-11-30T13:23:40.917135+00:00', completedAt: '2026-11-30T13:23:41+00:00' },
        outdates: 'session',
        planId: null,
        taskId: null,
      },
    },
  );

/** The second of the two events that a report leads to. */
export const observedOf = (given: GivenSession): Record<string, unknown> => given.events.at(-1)?.data as Record<string, unknown>;
