import type { CounterfoilEvent, EventData, Provenance } from '@counterfoil/contracts';
import { toolCallObserved, toolCallRequested } from './events.js';
import { WORKSPACE } from './scope.js';
import { digestOf, payloadOf, receiptNamed } from './values.js';

export interface ImportedFacts {
  readonly requested?: Partial<EventData<'ToolCallRequested'>>;
  readonly observed?: Partial<EventData<'ToolCallObserved'>>;
  readonly provenance?: Partial<Extract<Provenance, { kind: 'imported' }>>;
}

/** Stream of an imported record. */
export const historyStream = (label: string): string => `history-${WORKSPACE}/${label}`;

/** Both parts of what an imported receipt is upcast to; `label` names the record, and so its stream and its receipt. */
export function importedPair(label: string, facts: ImportedFacts = {}): readonly [CounterfoilEvent, CounterfoilEvent] {
  const receiptId = receiptNamed(label);
  const provenance: Provenance = {
    kind: 'imported',
    format: 'openkyrozen',
    generation: '1',
    surface: 'event',
    coordinates: { workspace: 'source-1', user: 'local', session: 'chat-1', eventId: `evt_${label}`, receiptId: `receipt_${label}` },
    argumentsFidelity: ['text'],
    fingerprint: 'not_recomputable',
    contentDigest: digestOf(label),
    anomalies: [],
    sightings: [],
    ...facts.provenance,
  };
  const requested = toolCallRequested({
    receiptId,
    userId: 'local',
    sessionId: 'chat-1',
    turn: null,
    callId: `receipt_${label}`,
    callIdSource: 'legacy',
    tool: { source: null, name: 'read_file', version: null, specDigest: null, sideEffects: 'read_only', declared: null },
    arguments: payloadOf('plain.txt'),
    operationId: '0123456789abcdef0123456789abcdef',
    requestFingerprint: null,
    rootSessionId: null,
    provenance,
    ...facts.requested,
  });
  return [requested, toolCallObserved({ receiptId, ...facts.observed })];
}
