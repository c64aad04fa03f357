import type { CallStatus, ReceiptDocument } from '@counterfoil/contracts';
import { historyStream, importedPair } from './imported.js';
import type { TestLog } from './log.js';
import { outcomeOf } from './values.js';

/** One record of an old receipt, as far as joining, filters and order look at it. */
export interface SightingFacts {
  /** Names its stream and its receipt id of ours. */
  readonly label: string;
  /** The old receipt id that it shares with others; null for a record that has none. */
  readonly origin: string | null;
  readonly surface?: string;
  /** In UTC with a Z, as the importer writes it; null where the record doesn't say. */
  readonly createdAt?: string | null;
  readonly association?: ReceiptDocument['association'];
  readonly status?: Extract<CallStatus, 'succeeded' | 'failed' | 'unknown'>;
  readonly tool?: string;
  readonly operationId?: string | null;
  readonly userId?: string | null;
  readonly sessionId?: string | null;
  readonly anomalies?: readonly string[];
  /** How far our own clock was behind when it was imported. */
  readonly behindSeconds?: number;
}

/** Imports one record. */
export function importSighting(log: TestLog, facts: SightingFacts): void {
  const { label, origin, status = 'succeeded', tool = 'read_file', userId = 'local', sessionId = 'chat-1', operationId = null } = facts;
  const { surface = 'execution.receipt', association = { kind: 'none', taskId: null }, anomalies = [] } = facts;
  const parts = importedPair(label, {
    requested: {
      userId,
      sessionId,
      operationId,
      association,
      tool: { source: null, name: tool, version: null, specDigest: null, sideEffects: 'read_only', declared: null },
    },
    observed: { status, outcome: status === 'unknown' ? null : outcomeOf(status) },
    provenance: { surface, coordinates: { eventId: `evt_${label}`, receiptId: origin }, anomalies: [...anomalies] },
  });
  log.appendParts(historyStream(label), parts, {
    behindSeconds: facts.behindSeconds ?? 0,
    ...(facts.createdAt == null ? {} : { occurredAt: facts.createdAt }),
  });
}
