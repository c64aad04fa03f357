import { characters } from '@counterfoil/contracts';
import { ARGUMENTS_BOUND, RESULT_BOUND } from './fidelity.js';
import type { GenerationName } from './generations/shapes.js';
import { isObject } from './json-text.js';
import type { JsonObject } from './json-text.js';
import type { CallSurface } from './surfaces/names.js';

/** The thirteen keys of a receipt of generation 1. */
export const RECEIPT_KEYS = [
  'receipt_id',
  'operation_id',
  'action',
  'args',
  'authorized',
  'started_at',
  'completed_at',
  'success',
  'result',
  'failure',
  'exit_code',
  'verified_effect',
  'acceptance',
] as const;

/** What the chat loop added: always the task, and why there was none. */
const CHAT_LOOP_KEYS = ['task_id', 'unmatched_reason'] as const;

export const ROW_KEYS = ['id', 'event_type', 'payload', 'user_id', 'workspace_id', 'session_id', 'task_id', 'created_at'] as const;

const GENERATION_3_KEYS = [
  'call_id',
  'call_id_source',
  'arguments',
  'tool_result',
  'scope',
  'plan_id',
  'tool_version',
  'tool_source',
  'side_effects',
  'verification',
] as const;
const SCOPE_KEYS = ['user_id', 'workspace_id', 'session_id'] as const;

const KEYS_OF_1: ReadonlySet<string> = new Set([...RECEIPT_KEYS, ...CHAT_LOOP_KEYS]);
const KEYS_OF_2: ReadonlySet<string> = new Set([...KEYS_OF_1, 'args_sha256']);
const KEYS_OF_3: ReadonlySet<string> = new Set([...KEYS_OF_2, ...GENERATION_3_KEYS, ...SCOPE_KEYS]);

const has = (object: JsonObject, key: string): boolean => Object.hasOwn(object, key);

/** Surfaces that hold all that there is of a receipt; the others are projections of one, or of something less. */
const COMPLETE: ReadonlySet<string> = new Set<CallSurface>(['execution.receipt', 'subagent.receipt', 'receipt']);

export const isComplete = (surface: string): boolean => COMPLETE.has(surface);

/** Whether a call holds what no generation before the third knew. */
export const isOfGeneration3 = (call: JsonObject): boolean => GENERATION_3_KEYS.some((key) => has(call, key));

/** What evidence and sub-agents' records of the time before receipts never said. */
const KEYS_SINCE_1 = ['operation_id', 'started_at', 'completed_at', 'failure', 'exit_code', 'verified_effect', 'ordered_plan'] as const;

/**
 * The generation that wrote a call, by what it holds. 1b also kept line breaks in results, and let some be longer: a receipt without
 * either can't be told from generation 1. Task evidence and sub-agent records are older than receipts, and outlived them.
 */
export function generationOf(surface: string, call: JsonObject): GenerationName {
  if (isOfGeneration3(call)) return '3';
  if (has(call, 'args_sha256')) return '2';
  const older = olderThanReceipts(surface, call);
  if (older !== null) return older;
  const result = call['result'];
  const isKept = typeof result === 'string' && (result.includes('\n') || exceeds(result, RESULT_BOUND));
  return isKept || SINCE_1B.has(surface) ? '1b' : '1';
}

/** Events of sub-agents' receipts, and their records with all that a receipt says: older ones said less. */
const SINCE_1B: ReadonlySet<string> = new Set<CallSurface>(['subagent.receipt', 'subagent.record']);

function olderThanReceipts(surface: string, call: JsonObject): '0a' | '0b' | '0c' | null {
  if (isComplete(surface) || surface === 'bug_fix.receipt' || KEYS_SINCE_1.some((key) => has(call, key))) return null;
  if (surface === 'subagent.record' || has(call, 'authorized')) return '0c';
  const id = call['receipt_id'];
  // Receipts made blanks of the line breaks of arguments, and so did the evidence that was made of them.
  const isFlat = typeof call['args'] !== 'string' || !call['args'].includes('\n');
  if (typeof id === 'string') return id.startsWith('subagent_receipt_') || !isFlat ? '0b' : null;
  return has(call, 'task_id') || has(call, 'args') || has(call, 'receipt_id') ? '0b' : '0a';
}

export function exceeds(text: string, bound: number): boolean {
  return text.length > bound && characters(text) > bound;
}

/** Oddities that no generation ever wrote: with one of them the record is like a receipt, of no known generation. */
const STRAY = ['missing_keys', 'unknown_keys', 'args_not_text', 'args_over_bound', 'result_not_text', 'success_not_boolean'];
/** Of generation 3 a plan is known, and no more: it may have written keys that nobody has heard of. */
const STRAY_IN_3 = STRAY.filter((anomaly) => anomaly !== 'unknown_keys');

/** The generation of a record, seen what is odd about it. */
export function generationWith(anomalies: ReadonlySet<string>, written: GenerationName): GenerationName {
  return (written === '3' ? STRAY_IN_3 : STRAY).some((anomaly) => anomalies.has(anomaly)) ? 'unknown' : written;
}

/**
 * What keeps a receipt from being one that the old runtime wrote itself: somebody changed it on the way, or wrote it by hand.
 *
 * @param row the event row around it; null for one that stands alone
 */
export function strayAnomalies(surface: string, generation: GenerationName, row: JsonObject | null, call: JsonObject): string[] {
  const found: string[] = [];
  const { args, result } = call;
  if (isComplete(surface)) {
    const lacksOfRow = row !== null && ROW_KEYS.some((key) => !has(row, key));
    if (lacksOfRow || RECEIPT_KEYS.some((key) => !has(call, key))) found.push('missing_keys');
    const known = generation === '3' ? KEYS_OF_3 : generation === '2' ? KEYS_OF_2 : KEYS_OF_1;
    if (Object.keys(call).some((key) => !known.has(key))) found.push('unknown_keys');
  }
  const typed = generation === '3' && isObject(call['arguments']);
  if (args !== undefined && typeof args !== 'string' && !(typed && args === null)) found.push('args_not_text');
  else if (typeof args === 'string' && exceeds(args, ARGUMENTS_BOUND)) found.push('args_over_bound');
  if (result !== undefined && typeof result !== 'string' && generation !== '3') found.push('result_not_text');
  return found;
}
