import type { ReceiptDocument } from '@counterfoil/contracts';
import { compatView } from '@counterfoil/read-models';
import type { Import } from '../corpus/reading.js';
import type { ExpectedReceipt, Fate, KnownLine, KnownRow } from './known.js';

/** What is compared of a receipt. */
export type Reading = Omit<ExpectedReceipt, 'old' | 'changed'>;

const parsed = (json: string): unknown => JSON.parse(json) as unknown;

/** Where a receipt stood, in words that its builder can say too. */
function placeOf({ provenance }: ReceiptDocument): string {
  if (provenance.kind !== 'imported') throw new Error('a live receipt');
  const { surface, coordinates: at } = provenance;
  if (at['eventId'] !== null) return `event ${String(at['eventId'])}`;
  if (surface === 'task.evidence') {
    return ['evidence', at['workspaceId'], at['userId'], at['sessionId'], at['rowTaskId'] ?? at['taskId'], at['evidenceIndex']].join(' ');
  }
  return [surface, at['receiptId'], at['taskId']].join(' ');
}

/** The receipts of an import by their place; each place once. */
export function byPlace({ receipts }: Import): ReadonlyMap<string, ReceiptDocument> {
  const found = new Map(receipts.map((doc) => [placeOf(doc), doc]));
  if (found.size !== receipts.length) throw new Error('two receipts in one place');
  return found;
}

/** The receipts that a builder knows, by the same places. */
export function knownReceipts(rows: readonly KnownRow[], lines: readonly KnownLine[] = []): ReadonlyMap<string, ExpectedReceipt> {
  const known = new Map<string, ExpectedReceipt>();
  for (const { table, columns: at, fates } of rows) {
    let index = 0;
    for (const [place, fate] of fates.entries()) {
      const isEvidence = table === 'tasks' && place > 0;
      const where = isEvidence
        ? ['evidence', at['workspace_id'], at['user_id'], at['session_id'], at['id'], index++].join(' ')
        : `event ${String(at['id'])}`;
      if (fate.is === 'receipt') known.set(where, fate.expected);
    }
  }
  for (const fate of lines.flatMap(({ fates }) => fates)) {
    if (fate.is !== 'receipt') continue;
    const { old } = fate.expected;
    known.set([fate.surface, old['receipt_id'], old['task_id'] ?? null].join(' '), fate.expected);
  }
  return known;
}

function associationOf({ association: { kind, basis, taskId } }: ReceiptDocument): string {
  if (kind === 'none') return basis === undefined ? 'none' : `none/${basis}`;
  return `${kind}/${String(basis)} ${String(taskId)}`;
}

/** A receipt under the names of its builder; arguments only where the builder says them. */
export function readingOf(doc: ReceiptDocument, { args }: ExpectedReceipt): Reading {
  const { provenance, verification } = doc;
  if (provenance.kind !== 'imported') throw new Error('a live receipt');
  return {
    generation: provenance.generation,
    tool: doc.tool.name,
    sideEffects: doc.tool.sideEffects,
    callId: doc.callIdSource === 'synthetic' && provenance.generation !== '3' ? 'synthetic:' : doc.callId,
    callIdSource: doc.callIdSource,
    status: doc.status as Reading['status'],
    authorized: doc.authorisation.recorded?.authorized ?? null,
    failure: doc.authorisation.recorded?.failure ?? null,
    exitCode: doc.outcome?.exitCode ?? null,
    verification: `${verification.state}/${String(verification.method)}`,
    association: associationOf(doc),
    fidelity: provenance.argumentsFidelity,
    fingerprint: provenance.fingerprint,
    anomalies: provenance.anomalies,
    startedAt: doc.times.reportedStart,
    ...(args === undefined ? {} : { args: parsed(doc.arguments.json) }),
  };
}

export function wanted({ old: _, changed: __, args, ...reading }: ExpectedReceipt): Reading {
  return args === undefined ? reading : { ...reading, args };
}

/** The old keys and values that a receipt gives back, and those that it had, without those that can't come back as they were. */
export function roundTrip(doc: ReceiptDocument, { old, changed }: ExpectedReceipt): { readonly given: unknown; readonly had: unknown } {
  const { cut: _, ...view } = compatView(doc);
  const without = (object: object): object => Object.fromEntries(Object.entries(object).filter(([key]) => !changed.includes(key)));
  return { given: without(view), had: without(old) };
}

export interface Counted {
  readonly imported: number;
  readonly derivedCopy: number;
  readonly notAReceipt: number;
  readonly quarantined: number;
  readonly read: number;
  readonly reasons: Readonly<Record<string, number>>;
  /** Records of each surface. */
  readonly surfaces: Readonly<Record<string, number>>;
}

const AS = {
  receipt: 'imported',
  task: 'imported',
  transition: 'imported',
  copy: 'derivedCopy',
  other: 'notAReceipt',
  aside: 'quarantined',
} as const;

function surfaceOf(fate: Fate): string {
  if (fate.is === 'other') return 'other';
  if (fate.is === 'task') return 'task';
  return fate.is === 'transition' ? 'task.event' : fate.surface;
}

/** The fates that a builder knows, counted as a report counts them. */
export function counted(known: readonly { readonly fates: readonly Fate[] }[]): Counted {
  const counts = { imported: 0, derivedCopy: 0, notAReceipt: 0, quarantined: 0, read: 0 };
  const reasons = new Map<string, number>();
  const surfaces = new Map<string, number>();
  for (const fate of known.flatMap(({ fates }) => fates)) {
    counts.read++;
    counts[AS[fate.is]]++;
    surfaces.set(surfaceOf(fate), (surfaces.get(surfaceOf(fate)) ?? 0) + 1);
    if (fate.is === 'aside') reasons.set(fate.reason, (reasons.get(fate.reason) ?? 0) + 1);
  }
  return { ...counts, reasons: Object.fromEntries(reasons), surfaces: Object.fromEntries(surfaces) };
}

/** What a report says, under the same names. */
export function countedBy({ report }: Import): Counted {
  const { imported, derivedCopy, notAReceipt, quarantined, read, reasons } = report;
  const surfaces = Object.fromEntries(Object.entries(report.surfaces).map(([name, counts]) => [name, counts.read]));
  return { imported, derivedCopy, notAReceipt, quarantined, read, reasons: { ...reasons }, surfaces };
}
