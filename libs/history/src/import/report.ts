import type { EventData, FateCounts } from '@counterfoil/contracts';
import type { QuarantineReason } from '../quarantine-reasons.js';

export type Added = EventData<'ImportFinished'>['added'];
/** What an imported record is. */
export type ImportedKind = 'receipt' | 'task' | 'taskVersion' | 'transition';

/** What became of a record. */
export type Fate =
  | { readonly kind: 'imported'; readonly as: ImportedKind }
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'derived_copy'; readonly added: boolean }
  | { readonly kind: 'not_a_receipt' }
  | { readonly kind: 'quarantined'; readonly reason: QuarantineReason; readonly added: boolean };

/**
 * Counts of one import. `read` is always the sum of `imported`, `duplicate`, `derivedCopy`, `notAReceipt` and `quarantined`, in total and
 * of each surface. A record is a line or a row, and each tool call inside of one: the evidence of a task row, the copies in a learning run.
 */
export interface ImportReport extends FateCounts {
  readonly importRun: string;
  /** What was added, by kind. */
  readonly added: Added;
  /** Counts by surface; only surfaces that occurred, by name. */
  readonly surfaces: Readonly<Record<string, FateCounts>>;
  /** Quarantined records by reason; only reasons that occurred. */
  readonly reasons: Readonly<Partial<Record<QuarantineReason, number>>>;
  /** Lines or rows among `read`; the others stood inside of them. */
  readonly rows: number;
  /** Events that this import added to the store, or would have added (dry run). */
  readonly eventsAdded: number;
  readonly blankLines: number;
  /** Bytes read of the input, as it came. */
  readonly bytes: number;
  readonly milliseconds: number;
  /** True when it was stopped by its signal: what is counted is stored, the rest of the input was not looked at. */
  readonly interrupted: boolean;
  /** True if nothing was stored: it says what an import would do. */
  readonly dryRun: boolean;
}

export type RunFacts = Pick<ImportReport, 'importRun' | 'bytes' | 'milliseconds' | 'interrupted' | 'dryRun'>;

type Counts = { -readonly [K in keyof FateCounts]: FateCounts[K] };

const none = (): Counts => ({ read: 0, imported: 0, duplicate: 0, derivedCopy: 0, notAReceipt: 0, quarantined: 0 });
const nothing = (): { -readonly [K in keyof Added]: Added[K] } => ({
  receipts: 0,
  tasks: 0,
  taskVersions: 0,
  transitions: 0,
  copies: 0,
  quarantined: 0,
});

const ADDED_AS = { receipt: 'receipts', task: 'tasks', taskVersion: 'taskVersions', transition: 'transitions' } as const;
const COUNTED_AS = {
  imported: 'imported',
  duplicate: 'duplicate',
  derived_copy: 'derivedCopy',
  not_a_receipt: 'notAReceipt',
  quarantined: 'quarantined',
} as const;

const byName = <T>(entries: Iterable<readonly [string, T]>): Record<string, T> =>
  Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));

/** Counts fates as they become known. */
export class Tally {
  blankLines = 0;
  rows = 0;
  private readonly total = none();
  private readonly surfaces = new Map<string, Counts>();
  private readonly added = nothing();
  private readonly reasons = new Map<QuarantineReason, number>();

  add(surface: string, fate: Fate): void {
    const of = this.surfaces.get(surface) ?? none();
    this.surfaces.set(surface, of);
    for (const counts of [this.total, of]) {
      counts.read++;
      counts[COUNTED_AS[fate.kind]]++;
    }
    if (fate.kind === 'imported') this.added[ADDED_AS[fate.as]]++;
    if (fate.kind === 'derived_copy' && fate.added) this.added.copies++;
    if (fate.kind !== 'quarantined') return;
    if (fate.added) this.added.quarantined++;
    this.reasons.set(fate.reason, (this.reasons.get(fate.reason) ?? 0) + 1);
  }

  get read(): number {
    return this.total.read;
  }

  report(run: RunFacts): ImportReport {
    return {
      ...run,
      ...this.total,
      added: { ...this.added },
      surfaces: byName([...this.surfaces].map(([surface, counts]) => [surface, { ...counts }])),
      reasons: byName(this.reasons),
      rows: this.rows,
      eventsAdded: Object.values(this.added).reduce((sum, count) => sum + count, 0),
      blankLines: this.blankLines,
    };
  }
}

/** The reports of several inputs of one run as one. */
export function sumReports(reports: readonly ImportReport[], run: RunFacts): ImportReport {
  const total = none();
  const added = nothing();
  const surfaces = new Map<string, Counts>();
  const reasons = new Map<string, number>();
  let [rows, blankLines] = [0, 0];
  for (const report of reports) {
    addCounts(total, report);
    for (const key of Object.keys(added) as (keyof Added)[]) added[key] += report.added[key];
    for (const [surface, counts] of Object.entries(report.surfaces)) {
      const of = surfaces.get(surface) ?? none();
      surfaces.set(surface, of);
      addCounts(of, counts);
    }
    for (const [reason, count] of Object.entries(report.reasons)) reasons.set(reason, (reasons.get(reason) ?? 0) + count);
    rows += report.rows;
    blankLines += report.blankLines;
  }
  const eventsAdded = Object.values(added).reduce((sum, count) => sum + count, 0);
  return { ...run, ...total, added, surfaces: byName(surfaces), reasons: byName(reasons), rows, eventsAdded, blankLines };
}

function addCounts(into: Counts, from: FateCounts): void {
  for (const key of Object.keys(into) as (keyof Counts)[]) into[key] += from[key];
}
