import { sha256Hex } from '@counterfoil/canonical';
import type { LedgerEvent, ToolDocument, ToolSpec } from '@counterfoil/contracts';
import type { FieldValue, IndexSpec } from '../port.js';
import type { Projection } from '../projection.js';
import type { EventOf } from '../shared/events.js';
import { ProjectionFault } from '../shared/fault.js';
import { sortable } from '../shared/numbers.js';
import { registryWorkspaceOf } from '../shared/streams.js';
import { toolText } from '../shared/tool-text.js';

const NAME = 'tools';

type ToolEvent = EventOf<'ToolRegistered' | 'ToolRetired'>;

export const TOOL_INDEXES = {
  position: { name: 'by_position', fields: ['workspace', 'registeredPosition'] },
  source: { name: 'by_source', fields: ['workspace', 'source', 'registeredPosition'] },
  state: { name: 'by_state', fields: ['workspace', 'state', 'registeredPosition'] },
} as const satisfies Record<string, IndexSpec>;

/** One document per tool that was ever registered: the newest spec, and whether it stands. */
export const toolsProjection: Projection<ToolDocument> = {
  name: NAME,
  indexes: Object.values(TOOL_INDEXES),
  idOf(event) {
    const workspaceId = isToolEvent(event) ? registryWorkspaceOf(event.stream) : null;
    return workspaceId === null || !isToolEvent(event) ? null : toolKey(workspaceId, event.data.source, event.data.name);
  },
  evolve: (doc, event) => (isToolEvent(event) ? evolveTool(doc, event) : doc),
  fields: toolFields,
};

/** Id of a tool's document. Source and name may be any text, as long as an id may not be, so that their SHA-256 stands for them. */
export const toolKey = (workspaceId: string, source: string, name: string): string => `${workspaceId}/${sha256Hex(toolText(source, name))}`;

/** The values that tools are filtered and sorted by; a tool that is registered again keeps its place in lists. */
export function toolFields(doc: ToolDocument): Readonly<Record<string, FieldValue>> {
  return {
    workspace: doc.workspaceId,
    source: doc.source,
    state: doc.state,
    registeredPosition: sortable(doc.registeredPosition),
  };
}

function isToolEvent(event: LedgerEvent): event is ToolEvent {
  return event.type === 'ToolRegistered' || event.type === 'ToolRetired';
}

function evolveTool(doc: ToolDocument | null, event: ToolEvent): ToolDocument {
  if (event.type === 'ToolRegistered') return registered(doc, event);
  if (doc === null) throw new ProjectionFault(NAME, event, 'the tool was never registered');
  if (doc.state === 'retired') throw new ProjectionFault(NAME, event, 'the tool was retired before');
  const { revision, position } = placeOf(event);
  return { ...doc, state: 'retired', retiredAt: event.metadata.recordedAt, retiredBecause: event.data.reason, revision, position };
}

/** The newest spec takes the place of the one before, also of a tool that was retired. */
function registered(doc: ToolDocument | null, event: EventOf<'ToolRegistered'>): ToolDocument {
  const { data, metadata } = event;
  const { revision, position } = placeOf(event);
  return {
    ...specOf(data),
    workspaceId: data.workspaceId,
    state: 'registered',
    registeredAt: metadata.recordedAt,
    registeredBy: metadata.actor.principal,
    registrations: (doc?.registrations ?? 0) + 1,
    retiredAt: null,
    retiredBecause: null,
    registeredPosition: doc?.registeredPosition ?? position,
    revision,
    position,
  };
}

const placeOf = (event: ToolEvent): { readonly revision: string; readonly position: string } => ({
  revision: event.revision.toString(),
  position: event.position.toString(),
});

/** Key by key, so that the order is always the same (promise 26), and fields of later versions stay out. */
function specOf(spec: ToolSpec): ToolSpec {
  return {
    source: spec.source,
    name: spec.name,
    version: spec.version,
    inputSchema: spec.inputSchema,
    sideEffects: spec.sideEffects,
    declaredClass: spec.declaredClass,
    parallelSafe: spec.parallelSafe,
    capabilities: spec.capabilities,
    duplicates: spec.duplicates,
    successExitCodes: spec.successExitCodes,
    effect: spec.effect,
    specDigest: spec.specDigest,
  };
}
