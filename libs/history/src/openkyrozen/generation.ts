import { characters } from '@counterfoil/contracts';
import { ARGUMENTS_BOUND, RESULT_BOUND } from './fidelity.js';
import type { JsonObject } from './json-text.js';

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

const KNOWN_KEYS: ReadonlySet<string> = new Set([...RECEIPT_KEYS, ...CHAT_LOOP_KEYS]);

/** `1b` also kept line breaks in results, and let some be longer. Receipts without either can't be told from generation 1. */
export type Generation = '1' | '1b' | '2' | '3';

export function generationOf(payload: JsonObject): Generation {
  if (GENERATION_3_KEYS.some((key) => Object.hasOwn(payload, key))) return '3';
  if (Object.hasOwn(payload, 'args_sha256')) return '2';
  const result = payload['result'];
  if (typeof result === 'string' && (result.includes('\n') || exceeds(result, RESULT_BOUND))) return '1b';
  return '1';
}

export function exceeds(text: string, bound: number): boolean {
  return text.length > bound && characters(text) > bound;
}

/** What keeps a receipt from being one that generation 1 wrote itself: somebody changed it on the way, or wrote it by hand. */
export function strayAnomalies(row: JsonObject, payload: JsonObject): string[] {
  const found: string[] = [];
  const { args, result } = payload;
  const lacking = RECEIPT_KEYS.some((key) => !Object.hasOwn(payload, key)) || ROW_KEYS.some((key) => !Object.hasOwn(row, key));
  if (lacking) found.push('missing_keys');
  if (Object.keys(payload).some((key) => !KNOWN_KEYS.has(key))) found.push('unknown_keys');
  if (args !== undefined && typeof args !== 'string') found.push('args_not_text');
  else if (typeof args === 'string' && exceeds(args, ARGUMENTS_BOUND)) found.push('args_over_bound');
  if (result !== undefined && typeof result !== 'string') found.push('result_not_text');
  return found;
}
