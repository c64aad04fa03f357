import { argumentsJson } from '../arguments.js';
import { sideEffectsOf, toolNamed } from '../tools.js';
import { verify } from '../verification.js';
import type { Generation2, Generation3, Recorded, StepContext } from './shapes.js';

/**
 * Generation 2 knew no call ids: they are made of the old receipt id (`legacy`), else of the record's key (`synthetic`). Its one argument
 * text is taken apart as far as it says how. Class and verification come from frozen tables and the recorded facts (promises 19, 30).
 */
export function from2To3(call: Generation2, { recordKey, opaqueArguments }: StepContext): Generation3 {
  const tool = toolNamed(call.action);
  const facts = { ...call, tool };
  const { state, method, observed } = verify(facts);
  const key = method === 'exit_status' ? 'exit_code' : 'verified_effect';
  return {
    generation: '3',
    callId: call.receiptId === null ? `synthetic:${recordKey}` : `legacy:${call.receiptId}`,
    callIdSource: call.receiptId === null ? 'synthetic' : 'legacy',
    action: call.action,
    tool,
    toolSource: null,
    toolVersion: null,
    sideEffects: sideEffectsOf(tool),
    arguments: {
      json: argumentsJson(tool, call.arguments, opaqueArguments),
      from: { value: sourceOf(call), key: 'args' },
      isObject: call.arguments.kind === 'object',
    },
    operationId: call.operationId,
    taskId: call.taskId,
    planId: null,
    authorized: call.authorized,
    success: call.success,
    failure: call.failure,
    exitCode: call.exitCode,
    result: call.result === null ? null : { value: call.result, key: 'result' },
    error: null,
    verification: { state, method, observed: observed === undefined ? null : ({ value: observed, key } satisfies Recorded) },
    startedAt: call.startedAt,
    completedAt: call.completedAt,
  };
}

function sourceOf({ arguments: recorded }: Generation2): unknown {
  if (recorded.kind === 'absent') return null;
  return recorded.kind === 'text' ? recorded.text : recorded.value;
}
