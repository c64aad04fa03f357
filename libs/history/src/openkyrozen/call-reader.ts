import { CallId, OLD_CLASSES, SideEffectClass, Verification, characters, oldRuntimeRan } from '@counterfoil/contracts';
import { FieldReader } from './field-reader.js';
import { isOfGeneration3 } from './generation.js';
import { toGeneration3 } from './generations/chain.js';
import type { Generation3, GenerationName, OldCall, Recorded, RecordedArguments, StepContext } from './generations/shapes.js';
import { isObject } from './json-text.js';
import type { JsonObject } from './json-text.js';
import { RecordRefused } from './refused.js';
import { argumentsJson } from './arguments.js';
import { toolNamed } from './tools.js';

const MAX_TOOL_NAME = 256;

function readArguments(value: unknown): RecordedArguments {
  if (value === null) return { kind: 'absent' };
  if (typeof value === 'string') return { kind: 'text', text: value };
  return isObject(value) ? { kind: 'object', value } : { kind: 'other', value };
}

function readAction(reader: FieldReader): string {
  const action = reader.identity('action');
  if (action === null) throw new RecordRefused('no_tool');
  if (action.trim() === '' || !action.isWellFormed() || characters(action) > MAX_TOOL_NAME) throw new RecordRefused('tool_name_invalid');
  return action;
}

const textOrNull = (value: unknown): string | null => (typeof value === 'string' ? value : null);

/**
 * Reads a call as its generation wrote it; alike from the record as it came and from the redacted one that is stored.
 *
 * @param successKey the key of the flag: `tool_success` in bug-fix receipts
 * @param anomalies gets what is odd and was read all the same
 * @throws RecordRefused if it names no tool, or an identity or a time is unreadable
 */
function readOldCall(call: JsonObject, generation: OldCall['generation'], successKey: string, anomalies: Set<string>): OldCall {
  const reader = new FieldReader(call, anomalies);
  const facts0a = { action: readAction(reader), result: reader.value('result'), success: reader.flag(successKey, 'success') };
  if (generation === '0a') return { generation, ...facts0a };
  const taskId = reader.identifier('task_id');
  const facts0b = { ...facts0a, arguments: readArguments(reader.value('args')), receiptId: reader.identifier('receipt_id'), taskId };
  if (generation === '0b') return { generation, ...facts0b };
  const facts0c = { ...facts0b, authorized: reader.flag('authorized') };
  if (generation === '0c') return { generation, ...facts0c };
  const failure = reader.code('failure');
  if (facts0a.success === false && failure === null) anomalies.add('failed_without_failure_code');
  const facts1 = {
    ...facts0c,
    operationId: reader.identifier('operation_id'),
    startedAt: reader.time('started_at'),
    completedAt: reader.time('completed_at'),
    failure,
    exitCode: reader.exitCode('exit_code'),
    verifiedEffect: textOrNull(reader.value('verified_effect')),
  };
  if (generation === '1') return { generation, ...facts1 };
  if (generation === '1b') return { generation, ...facts1, lineBreaks: 'kept' };
  return { generation, ...facts1, lineBreaks: 'kept', argsSha256: textOrNull(reader.value('args_sha256')) };
}

/** A call of any generation, led on to generation 3 step by step. @throws RecordRefused as `readOldCall` */
export function readCall(
  call: JsonObject,
  generation: GenerationName,
  context: StepContext,
  anomalies: Set<string>,
  successKey = 'success',
): Generation3 {
  if (generation === '3' || (generation === 'unknown' && isOfGeneration3(call))) return readGeneration3(call, context, anomalies);
  // One that keeps to no generation's form is read for every key that any of them wrote.
  return toGeneration3(readOldCall(call, generation === 'unknown' ? '2' : generation, successKey, anomalies), context);
}

/** The steps below generation 3 stand in for what a record of it leaves out. */
function readGeneration3(call: JsonObject, context: StepContext, anomalies: Set<string>): Generation3 {
  const base = toGeneration3(readOldCall(call, '2', 'success', anomalies), context);
  const reader = new FieldReader(call, anomalies);
  const toolResult = reader.value('tool_result');
  const version = reader.identifier('tool_version');
  return {
    ...base,
    ...callIdOf(reader, base, anomalies),
    toolSource: reader.identifier('tool_source'),
    toolVersion: version,
    sideEffects: classOf(reader.value('side_effects'), base, anomalies),
    arguments: argumentsOf(reader, base),
    planId: reader.identifier('plan_id'),
    result: toolResult === null ? base.result : { value: toolResult, key: 'tool_result' },
    error: base.success === false ? errorOf(toolResult, base) : null,
    verification: verificationOf(reader.value('verification'), base, anomalies),
    ...successOf(toolResult, base, anomalies),
  };
}

/** As long as any caller's may be (promise 1). The ids of JSON-RPC may be integers, and say the same in decimal. */
function recordedCallId(reader: FieldReader, anomalies: Set<string>): string | null {
  const value = reader.value('call_id');
  if (typeof value === 'number' && Number.isSafeInteger(value)) {
    anomalies.add('call_id_not_text');
    return String(value);
  }
  const text = reader.identity('call_id');
  if (text === null || CallId.safeParse(text).success) return text;
  anomalies.add('identifier_unusable');
  return null;
}

type CallIdentity = Pick<Generation3, 'callId' | 'callIdSource'>;

/** A call id is native only if the record says so; one that is missing is never called native, whatever it says. */
function callIdOf(reader: FieldReader, base: Generation3, anomalies: Set<string>): CallIdentity {
  const callId = recordedCallId(reader, anomalies);
  const source = reader.value('call_id_source');
  if (callId === null) {
    anomalies.add('missing_call_id');
    return { callId: base.callId, callIdSource: base.callIdSource };
  }
  if (source === 'native' || source === 'legacy' || source === 'synthetic') return { callId, callIdSource: source };
  anomalies.add('call_id_source_unknown');
  return { callId, callIdSource: 'legacy' };
}

/** The recorded class, an older word for one, or `destructive`: a name that nobody knows grants nothing (promise 30). */
function classOf(recorded: unknown, base: Generation3, anomalies: Set<string>): SideEffectClass {
  if (recorded === null) return base.sideEffects;
  const known = SideEffectClass.safeParse(recorded);
  if (known.success) return known.data;
  const old: Readonly<Record<string, SideEffectClass>> = OLD_CLASSES;
  if (typeof recorded === 'string' && Object.hasOwn(old, recorded)) return old[recorded] ?? 'destructive';
  anomalies.add('side_effects_unknown');
  return 'destructive';
}

function argumentsOf(reader: FieldReader, base: Generation3): Generation3['arguments'] {
  const value = reader.value('arguments');
  if (!isObject(value)) return base.arguments;
  const json = argumentsJson(toolNamed(base.action), { kind: 'object', value }, false);
  return { json, from: { value, key: 'arguments' }, isObject: true };
}

/** The flag in the receipt decides; what the tool's own result says of it is only compared (promise 18). */
function successOf(toolResult: unknown, base: Generation3, anomalies: Set<string>): Pick<Generation3, 'success'> {
  if (!isObject(toolResult) || typeof toolResult['success'] !== 'boolean') return { success: base.success };
  if (base.success !== null && toolResult['success'] !== base.success) anomalies.add('tool_result_disagrees');
  return { success: base.success };
}

const ERROR_KEYS = ['error', 'error_message', 'message', 'text'] as const;

/** What was said of a failure: never empty while the record says anything at all (however much of it was cut). */
function errorOf(toolResult: unknown, base: Generation3): Recorded | null {
  if (isObject(toolResult)) {
    for (const key of ERROR_KEYS) {
      const value = Object.hasOwn(toolResult, key) ? (toolResult[key] ?? null) : null;
      if (value !== null && value !== '') return { value, key: `tool_result/${key}` };
    }
  }
  return base.result !== null && base.result.value !== '' ? base.result : null;
}

/** As recorded, where it is a state of ours; of a call that never ran there is nothing to verify, whatever is recorded. */
function verificationOf(recorded: unknown, base: Generation3, anomalies: Set<string>): Generation3['verification'] {
  if (recorded === null || !oldRuntimeRan(base)) return base.verification;
  const state = isObject(recorded) ? Verification.shape.state.safeParse(recorded['state']) : null;
  if (!isObject(recorded) || state?.success !== true) {
    anomalies.add('verification_unreadable');
    return base.verification;
  }
  const { method, observed } = recorded;
  return {
    state: state.data,
    method: methodOf(method),
    observed: observed === undefined || observed === null ? null : { value: observed, key: 'verification/observed' },
  };
}

/** A word or a few. */
function methodOf(recorded: unknown): string | null {
  return typeof recorded === 'string' && recorded.length <= MAX_TOOL_NAME && recorded.isWellFormed() ? recorded : null;
}
