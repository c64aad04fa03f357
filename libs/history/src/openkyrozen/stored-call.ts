import type { EventData } from '@counterfoil/contracts';
import { UpcastError } from '@counterfoil/event-store';
import { readCall } from './call-reader.js';
import type { Generation3, GenerationName, StepContext } from './generations/shapes.js';
import { isObject } from './json-text.js';
import { RecordRefused } from './refused.js';
import { locateCall } from './surfaces/locate.js';

type Stored = Pick<EventData<'HistoricalReceiptImported'>, 'generation' | 'surface' | 'recordKey' | 'argumentsFidelity'>;

/** What a stored record says, and where in it the call stands: the paths of its redactions say it too. */
export interface StoredCall {
  readonly call: Generation3;
  readonly at: string;
}

const GENERATIONS: readonly string[] = ['0a', '0b', '0c', '1', '1b', '2', '3', 'unknown'] satisfies readonly GenerationName[];

const isGeneration = (name: string): name is GenerationName => GENERATIONS.includes(name);

/** What the steps need, from what is stored beside the record. */
const contextOf = ({ recordKey, argumentsFidelity }: Stored): StepContext => ({
  recordKey,
  opaqueArguments: argumentsFidelity.includes('opaque'),
});

/**
 * What a stored record says, led on to generation 3.
 *
 * @param json the record as it is stored: redacted, perhaps cut
 * @throws UpcastError if it can't be read; the importer stores none of which that is true
 */
export function storedCall(json: string, stored: Stored): StoredCall {
  if (!isGeneration(stored.generation)) throw new UpcastError('a generation that is not known');
  const record: unknown = JSON.parse(json);
  const located = isObject(record) ? locateCall(stored.surface, record) : null;
  if (located === null || 'reason' in located) throw new UpcastError('the stored record has no readable receipt');
  try {
    const call = readCall(located.call, stored.generation, contextOf(stored), new Set(), located.successKey);
    return { call, at: located.at };
  } catch (error) {
    if (error instanceof RecordRefused) throw new UpcastError(`the stored record is unreadable: ${error.reason}`);
    throw error;
  }
}

/** What must be the same before and after redaction and cut; texts may differ, that is what redaction is for. */
function fixed(call: Generation3): string {
  const { action, callId, callIdSource, toolSource, toolVersion, sideEffects, arguments: args, operationId, taskId, planId } = call;
  const { success, authorized, exitCode, failure, startedAt, completedAt, verification } = call;
  const identity = [action, callId, callIdSource, toolSource, toolVersion, sideEffects, operationId, taskId, planId];
  const facts = [args.isObject, args.json === 'null', success, authorized, exitCode, failure === null, startedAt, completedAt];
  return JSON.stringify([...identity, ...facts, verification.state, verification.method]);
}

/** Whether the stored form of a record still says what the record said. */
export function survives(call: Generation3, storedJson: string, stored: Stored): boolean {
  try {
    return fixed(storedCall(storedJson, stored).call) === fixed(call);
  } catch (error) {
    if (error instanceof UpcastError) return false;
    throw error;
  }
}
