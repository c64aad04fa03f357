import type { Association, CallStatus, ReceiptDocument } from '@counterfoil/contracts';
import type { FieldValue } from '../port.js';
import { compareFieldValues } from '../conditions.js';
import { sortableTime } from '../shared/recorded-time.js';
import { receiptFields } from './indexes.js';

/** Surfaces that showed a part of a receipt: where a whole one exists, that one wins, however late it was made. */
const PARTIAL: ReadonlySet<string> = new Set(['stream', 'terminal', 'evidence', 'task.evidence', 'bug_fix.receipt', 'subagent.record']);

/** What joining needs of one imported document: small, so that many can be held at a time. */
export interface Sighting {
  readonly receiptId: string;
  readonly surface: string;
  readonly coordinates: Readonly<Record<string, string | null>>;
  readonly status: CallStatus;
  readonly tool: string;
  readonly operationId: string | null;
  readonly association: Association;
  /** What filters and lists look at. */
  readonly fields: Readonly<Record<string, FieldValue>>;
  /** What sightings are sorted by, the first that differs deciding. */
  readonly rank: readonly FieldValue[];
}

export function sightingOf(doc: ReceiptDocument): Sighting {
  const { receiptId, status, tool, operationId, association, provenance } = doc;
  const { surface, coordinates } = provenance.kind === 'imported' ? provenance : { surface: '', coordinates: {} };
  const createdAt = sortableTime(doc.times.occurred);
  return {
    receiptId,
    surface,
    coordinates,
    status,
    tool: tool.name,
    operationId,
    association,
    fields: receiptFields(doc),
    // Records that don't say when they were created come last. The id makes the order total, and is the same in every ledger.
    rank: [createdAt === null ? 1 : 0, createdAt, coordinatesText(coordinates), receiptId],
  };
}

/** By (created_at, coordinates): the order of the sightings of one receipt (design §4), whatever order they were imported in. */
export function byCreation(a: Sighting, b: Sighting): number {
  return compareRanks(a.rank, b.rank);
}

/** Whether it comes before another as the canonical one: the complete before the partial ones, and else by creation. */
export function isMoreCanonical(a: Sighting, b: Sighting): boolean {
  const difference = Number(PARTIAL.has(a.surface)) - Number(PARTIAL.has(b.surface));
  return (difference || byCreation(a, b)) < 0;
}

function compareRanks(a: readonly FieldValue[], b: readonly FieldValue[]): number {
  for (const [i, value] of a.entries()) {
    const order = compareFieldValues(value, b[i] ?? null);
    if (order !== 0) return order;
  }
  return 0;
}

/** Coordinates as text, whatever order their keys were stored in. */
function coordinatesText(coordinates: Sighting['coordinates']): string {
  return JSON.stringify(Object.entries(coordinates).sort(([a], [b]) => compareFieldValues(a, b)));
}
