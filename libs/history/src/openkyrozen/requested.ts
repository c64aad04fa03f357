import { SessionId, TaskId, UserId } from '@counterfoil/contracts';
import type { ToolCallRequestedV1 } from '@counterfoil/event-store';
import type { Association, EventData, Payload, Provenance } from '@counterfoil/contracts';
import { argumentsJson } from './arguments.js';
import { derivedPayload } from './derived-payload.js';
import { payloadPath } from './stored-facts.js';
import type { StoredFacts } from './stored-facts.js';
import { builtin, sideEffectsOf } from './tools.js';

type Imported = EventData<'HistoricalReceiptImported'>;

/** An old id in a typed field: only if it is one by our rules; the coordinates keep it in any case. */
function typed(id: string | null | undefined, rule: typeof TaskId): string | null {
  return id !== null && id !== undefined && rule.safeParse(id).success ? id : null;
}

/** As the record says, and nothing where it says two things. */
function associationOf({ coordinates }: Imported): Association {
  const taskId = coordinates['taskId'] ?? null;
  return taskId === null || 'rowTaskId' in coordinates ? { kind: 'none', taskId: null } : { kind: 'recorded', taskId };
}

function provenanceOf(data: Imported): Provenance {
  const { format, generation, surface, coordinates, argumentsFidelity, fingerprint, contentDigest, anomalies } = data;
  return {
    kind: 'imported',
    format,
    generation,
    surface,
    coordinates,
    argumentsFidelity,
    fingerprint,
    contentDigest,
    anomalies,
    sightings: [],
  };
}

/** Where a redaction below an old spelling of a field stands now. */
function inObject(tool: string): (rest: string) => string {
  const aliases = builtin(tool)?.fieldAliases ?? {};
  return (rest) =>
    rest.replace(/^\/[^/#]+/, (first) => (Object.hasOwn(aliases, first.slice(1)) ? `/${String(aliases[first.slice(1)])}` : first));
}

function argumentsOf(data: Imported, { facts, encodings }: StoredFacts): Payload {
  const { tool, arguments: recorded } = facts;
  const json = argumentsJson(tool, recorded, data.argumentsFidelity.includes('opaque'));
  const source = recorded.kind === 'text' ? recorded.text : recorded.kind === 'absent' ? null : recorded.value;
  const origin = { original: data.original, at: payloadPath(encodings, 'args') };
  if (recorded.kind === 'object') return derivedPayload(json, source, { ...origin, place: inObject(tool) });
  const fields = Object.keys((JSON.parse(json) ?? {}) as object);
  // The old text was redacted as one: of several fields made from it, nobody can tell which one it was in.
  const place = (rest: string): string => (fields.length === 1 ? `/${String(fields[0])}${rest}` : '');
  return derivedPayload(json, source, { ...origin, place });
}

/** The request half of an imported receipt: what was asked for, and by whom. Never approved, never dispatched (promise 30). */
export function requested(data: Imported, stored: StoredFacts): ToolCallRequestedV1 {
  const { facts } = stored;
  const { coordinates } = data;
  const oldReceiptId = coordinates['receiptId'] ?? null;
  const association = associationOf(data);
  return {
    receiptId: data.receiptId,
    workspaceId: data.workspaceId,
    userId: typed(coordinates['userId'], UserId),
    sessionId: typed(coordinates['sessionId'], SessionId),
    turn: null,
    callId: oldReceiptId === null ? `synthetic:${data.recordKey}` : `legacy:${oldReceiptId}`,
    callIdSource: oldReceiptId === null ? 'synthetic' : 'legacy',
    tool: { source: null, name: facts.tool, version: null, specDigest: null, sideEffects: sideEffectsOf(facts.tool), declared: null },
    arguments: argumentsOf(data, stored),
    operationId: facts.operationId,
    requestFingerprint: null,
    association,
    planId: null,
    taskId: typed(association.taskId, TaskId),
    approval: { required: false, reasons: [] },
    registryRevision: null,
    secrets: [],
    provenance: provenanceOf(data),
  };
}
