import type { ReceiptDocument } from '@counterfoil/contracts';
import type { ReadScope } from '../../shared/scope.js';
import type { ReceiptFilters } from '../filters.js';

/** What the route says that a filter means, said over the documents. */
export function matches(doc: ReceiptDocument, scope: ReadScope, filters: ReceiptFilters): boolean {
  const at = Date.parse(doc.times.requested ?? '');
  const is = <T>(wanted: T | undefined, value: T | null): boolean => wanted === undefined || wanted === value;
  return (
    isVisible(doc, scope) &&
    is(filters.session, doc.sessionId) &&
    is(filters.root, doc.rootSessionId) &&
    is(filters.turn, doc.turn) &&
    is(filters.task, doc.association.taskId) &&
    is(filters.tool, doc.tool.name) &&
    is(filters.toolSource, doc.tool.source) &&
    (filters.status === undefined || filters.status.includes(doc.status)) &&
    is(filters.verification, doc.verification.state) &&
    is(filters.class, doc.tool.sideEffects) &&
    is(filters.operation, doc.operationId) &&
    is(filters.provenance, doc.provenance.kind) &&
    (filters.from === undefined || at >= filters.from) &&
    (filters.to === undefined || at < filters.to) &&
    (filters.order !== 'ended' || doc.endedPosition !== null)
  );
}

const isVisible = (doc: ReceiptDocument, scope: ReadScope): boolean =>
  doc.workspaceId === scope.workspaceId && (scope.userId === null || doc.userId === scope.userId);

const PARTIAL = 'stream terminal evidence task.evidence bug_fix.receipt subagent.record'.split(' ');

/** Old receipt id of a document; null for one that stands for itself. */
export function originOfDocument({ provenance }: ReceiptDocument): string | null {
  return provenance.kind === 'imported' ? (provenance.coordinates['receiptId'] ?? null) : null;
}

/** As one text that sorts as the rule says: complete surfaces first, then by created time, then by coordinates. */
function canonicalKey({ provenance, times, receiptId }: ReceiptDocument): string {
  if (provenance.kind !== 'imported') throw new Error('not imported');
  const { occurred } = times;
  const created = occurred === null ? 'none' : `${occurred.slice(0, 19)}.${occurred.slice(20, -1).padEnd(9, '0')}`;
  return [PARTIAL.includes(provenance.surface) ? 1 : 0, created, JSON.stringify(provenance.coordinates), receiptId].join('\n');
}

/** The canonical document of each old receipt, as far as a scope may see it. */
function canonicals(all: readonly ReceiptDocument[], scope: ReadScope): ReadonlyMap<string, ReceiptDocument> {
  const found = new Map<string, ReceiptDocument>();
  for (const doc of all.filter((one) => isVisible(one, scope))) {
    const origin = originOfDocument(doc);
    const other = origin === null ? undefined : found.get(origin);
    if (origin !== null && (other === undefined || canonicalKey(doc) < canonicalKey(other))) found.set(origin, doc);
  }
  return found;
}

/** Ids of the receipts that a list shows, in its order: said over the documents, with no index, no page and no plan. */
export function expectedList(
  all: readonly ReceiptDocument[],
  scope: ReadScope,
  filters: ReceiptFilters,
  isByTime: boolean,
): readonly string[] {
  const time = (doc: ReceiptDocument): number => (isByTime ? Date.parse(doc.times.requested ?? '') : 0);
  const position = (doc: ReceiptDocument): number => Number(filters.order === 'ended' ? doc.endedPosition : doc.requestedPosition);
  const found = all.filter((doc) => matches(doc, scope, filters)).sort((a, b) => time(b) - time(a) || position(b) - position(a));
  const known = canonicals(all, scope);
  const canonicalOf = (doc: ReceiptDocument): ReceiptDocument => known.get(originOfDocument(doc) ?? '') ?? doc;
  const placeOf = (doc: ReceiptDocument): ReceiptDocument | undefined => {
    const canonical = canonicalOf(doc);
    return found.find((other) => other === canonical) ?? found.find((other) => canonicalOf(other) === canonical);
  };
  return found.filter((doc) => placeOf(doc) === doc).map((doc) => canonicalOf(doc).receiptId);
}
