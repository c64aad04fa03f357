import { PlanId, SessionId, TaskId, ToolSource, UserId } from '@counterfoil/contracts';
import type { ToolCallRequestedV1 } from '@counterfoil/event-store';
import type { EventData, Payload, Provenance } from '@counterfoil/contracts';
import { associationOf } from './association.js';
import { derivedPayload } from './derived-payload.js';
import type { StoredCall } from './stored-call.js';
import { builtin } from './tools.js';

type Imported = EventData<'HistoricalReceiptImported'>;

/** An old id in a typed field: only if it is one by our rules; the coordinates keep it in any case. */
function typed(id: string | null | undefined, rule: typeof TaskId): string | null {
  return id !== null && id !== undefined && rule.safeParse(id).success ? id : null;
}

const NOTHING_GIVEN = { userId: null, sessionId: null };

/** What the importer said, for what was not recorded. An identifier that was recorded and couldn't be kept was: it is nobody else's. */
function givenTo({ given, anomalies }: Imported): { readonly userId: string | null; readonly sessionId: string | null } {
  const lost = anomalies.includes('identifier_withheld') || anomalies.includes('identifier_unusable');
  return given === undefined || lost ? NOTHING_GIVEN : given;
}

function provenanceOf(data: Imported): Provenance {
  const { format, generation, surface, coordinates, argumentsFidelity, fingerprint, contentDigest, anomalies, given } = data;
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
    ...(given === undefined ? {} : { given }),
  };
}

/** Where a redaction below an old spelling of a field stands now. */
function inObject(tool: string): (rest: string) => string {
  const aliases = builtin(tool)?.fieldAliases ?? {};
  return (rest) =>
    rest.replace(/^\/[^/#]+/, (first) => (Object.hasOwn(aliases, first.slice(1)) ? `/${String(aliases[first.slice(1)])}` : first));
}

function argumentsOf({ original }: Imported, { call, at }: StoredCall): Payload {
  const { json, from, isObject } = call.arguments;
  const origin = { original, at: `${at}/${from.key}` };
  if (isObject) return derivedPayload(json, from.value, { ...origin, place: inObject(call.tool) });
  const fields = Object.keys((JSON.parse(json) ?? {}) as object);
  // The old text was redacted as one: of several fields made from it, nobody can tell which one it was in.
  const place = (rest: string): string => (fields.length === 1 ? `/${String(fields[0])}${rest}` : '');
  return derivedPayload(json, from.value, { ...origin, place });
}

/** The request half of an imported receipt: what was asked for, and by whom. Never approved, never dispatched (promise 30). */
export function requested(data: Imported, stored: StoredCall): ToolCallRequestedV1 {
  const { call } = stored;
  const { coordinates } = data;
  const given = givenTo(data);
  const association = associationOf(data);
  return {
    receiptId: data.receiptId,
    workspaceId: data.workspaceId,
    userId: typed(coordinates['userId'] ?? given.userId, UserId),
    sessionId: typed(coordinates['sessionId'] ?? given.sessionId, SessionId),
    turn: null,
    callId: call.callId,
    callIdSource: call.callIdSource,
    tool: {
      source: typed(call.toolSource, ToolSource),
      name: call.tool,
      version: call.toolVersion,
      specDigest: null,
      sideEffects: call.sideEffects,
      declared: null,
    },
    arguments: argumentsOf(data, stored),
    operationId: call.operationId,
    requestFingerprint: null,
    association,
    planId: typed(call.planId, PlanId),
    taskId: typed(association.taskId, TaskId),
    approval: { required: false, reasons: [] },
    registryRevision: null,
    secrets: [],
    provenance: provenanceOf(data),
  };
}
