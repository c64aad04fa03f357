import type { ExpectedReceipt, Fate, Json } from './known.js';
import { inUtc, moment, type OldHistory } from './old-history.js';
import { argsSha256, oldOperationId } from './old-hashes.js';
import { oldRedaction } from './old-redaction.js';
import { str } from './python.js';

export type ReceiptGeneration = '1' | '1b' | '2';

/** A call as the old runtime saw it. */
export interface Call {
  readonly action: string;
  /** Of any type: whatever came was made text. */
  readonly args: unknown;
  readonly result?: string;
  readonly success?: boolean;
  readonly failure?: string | null;
  readonly exitCode?: number | null;
  readonly authorized?: boolean;
  readonly effect?: string | null;
  readonly acceptance?: string | null;
  /** What its operation id was made with; a learning run unless given. */
  readonly scope?: string;
  readonly long?: boolean;
}

export const UNMATCHED = 'No unique ordered or contracted task matched this receipt; no task was marked complete.';
export const START = moment(-60, 123_456);
export const END = moment(-59, 654_321);
export const START_UTC = inUtc(START);

/** `ExecutionReceipt.as_dict()` of a generation. */
export function asDict(history: OldHistory, generation: ReceiptGeneration, label: string, call: Call): Json {
  const { action, args, result = 'ok', success = true, failure = null, exitCode = null, authorized = true } = call;
  const text = action === 'run_cmd' ? str(args).trim() : str(args);
  const isFirst = generation === '1';
  return {
    receipt_id: `receipt_${history.id(label)}`,
    operation_id: oldOperationId(call.scope ?? `learnrun_${history.id('run')}`, action, text),
    action,
    args: isFirst ? oldRedaction.R1(text, 1000) : oldRedaction.R2args(text, 1000),
    ...(generation === '2' ? { args_sha256: argsSha256(text) } : {}),
    authorized,
    started_at: START,
    completed_at: END,
    success,
    result: isFirst ? oldRedaction.R1(result, 2000) : oldRedaction.R2(result, call.long === true ? 200_000 : 2000),
    failure,
    exit_code: exitCode,
    verified_effect: call.effect ?? null,
    acceptance: call.acceptance ?? null,
  };
}

/** What the chat loop added to a receipt. */
export const inChat = (dict: Json, taskId: string | null = null): Json =>
  taskId === null ? { ...dict, task_id: null, unmatched_reason: UNMATCHED } : { ...dict, task_id: taskId };

/** What the stream and the terminal gave of a receipt. */
export function streamed(
  { receipt_id, operation_id, action, args, result, success, authorized, acceptance, failure }: Json,
  task: string | null,
): Json {
  const shown = { receipt_id, operation_id, action, args, result, success, authorized, acceptance, failure, task_id: task };
  return task === null ? { ...shown, unmatched_reason: UNMATCHED } : shown;
}

export type Facts = Partial<ExpectedReceipt> & Pick<ExpectedReceipt, 'sideEffects' | 'verification'>;

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);
const orNull = <T>(value: T | undefined): T | null => value ?? null;

/** What a receipt must read as, where nothing about it is odd; `facts` say the rest. */
export function expected(generation: string, old: Json, facts: Facts): ExpectedReceipt {
  const receiptId = textOf(old['receipt_id']);
  const startedAt = textOf(old['started_at']);
  const task = textOf(old['task_id']);
  return {
    generation,
    tool: String(old['action']),
    callId: receiptId === null ? 'synthetic:' : `legacy:${receiptId}`,
    callIdSource: receiptId === null ? 'synthetic' : 'legacy',
    status: old['success'] === true ? 'succeeded' : 'failed',
    authorized: orNull(old['authorized'] as boolean | null | undefined),
    failure: orNull(old['failure'] as string | null | undefined),
    exitCode: orNull(old['exit_code'] as number | null | undefined),
    association: task === null ? 'none' : `recorded/receipt ${task}`,
    fidelity: ['normalised'],
    fingerprint: 'not_recomputable',
    anomalies: [],
    startedAt: startedAt === null ? null : inUtc(startedAt),
    old,
    changed: [],
    ...facts,
  };
}

/** An event row with a receipt in it. */
export function receiptEvent(
  history: OldHistory,
  generation: string,
  payload: Json,
  facts: Facts,
  columns: Parameters<OldHistory['event']>[3] = {},
): void {
  const fate: Fate = { is: 'receipt', surface: 'execution.receipt', expected: expected(generation, payload, facts) };
  history.event('execution.receipt', payload, [fate], columns);
}

export const READ = { sideEffects: 'read_only', verification: 'not_applicable/read_only_tool' } as const;
export const WRITE = { sideEffects: 'filesystem', verification: 'unavailable/no_observation' } as const;
export const EXISTED = { sideEffects: 'filesystem', verification: 'unavailable/legacy_existence_check' } as const;
export const EXITED_0 = { sideEffects: 'process', verification: 'verified/exit_status' } as const;
export const EXITED = { sideEffects: 'process', verification: 'failed/exit_status' } as const;
export const NO_STATUS = { sideEffects: 'process', verification: 'unavailable/no_structured_exit_status' } as const;
export const UNSUPPORTED = { sideEffects: 'destructive', verification: 'unavailable/unsupported_tool' } as const;
/** Never ran. */
export const refused = (sideEffects: string): Facts => ({ sideEffects, verification: 'not_applicable/not_dispatched' });
