import type { QuarantineReason } from '../quarantine-reasons.js';

/** What became of a record. */
export type Fate =
  | { readonly kind: 'imported' }
  | { readonly kind: 'duplicate' }
  | { readonly kind: 'not_a_receipt' }
  | { readonly kind: 'quarantined'; readonly reason: QuarantineReason; readonly added: boolean };

/** Counts of one import. `read` is always the sum of `imported`, `duplicate`, `derivedCopy`, `notAReceipt` and `quarantined`. */
export interface ImportReport {
  readonly importRun: string;
  /** Records whose fate is known; blank lines are no records. */
  readonly read: number;
  readonly imported: number;
  readonly duplicate: number;
  /** Copies of receipts inside other records. Surfaces that hold some are not read yet, so it is 0. */
  readonly derivedCopy: number;
  readonly notAReceipt: number;
  readonly quarantined: number;
  /** Quarantined records by reason; only reasons that occurred. */
  readonly reasons: Readonly<Partial<Record<QuarantineReason, number>>>;
  /** Events that this import added to the store: fewer than imported + quarantined when some were quarantined before. */
  readonly eventsAdded: number;
  readonly blankLines: number;
  /** Bytes read of the input. */
  readonly bytes: number;
  readonly milliseconds: number;
  /** True when it was stopped by its signal: what is counted is stored, the rest of the input was not looked at. */
  readonly interrupted: boolean;
}

/** Counts fates as they become known. */
export class Tally {
  blankLines = 0;
  private imported = 0;
  private duplicate = 0;
  private notAReceipt = 0;
  private quarantined = 0;
  private eventsAdded = 0;
  private readonly reasons = new Map<QuarantineReason, number>();

  add(fate: Fate): void {
    switch (fate.kind) {
      case 'imported':
        this.imported++;
        this.eventsAdded++;
        break;
      case 'duplicate':
        this.duplicate++;
        break;
      case 'not_a_receipt':
        this.notAReceipt++;
        break;
      case 'quarantined':
        this.quarantined++;
        if (fate.added) this.eventsAdded++;
        this.reasons.set(fate.reason, (this.reasons.get(fate.reason) ?? 0) + 1);
        break;
    }
  }

  get read(): number {
    return this.imported + this.duplicate + this.notAReceipt + this.quarantined;
  }

  report(run: Pick<ImportReport, 'importRun' | 'bytes' | 'milliseconds' | 'interrupted'>): ImportReport {
    return {
      ...run,
      read: this.read,
      imported: this.imported,
      duplicate: this.duplicate,
      derivedCopy: 0,
      notAReceipt: this.notAReceipt,
      quarantined: this.quarantined,
      reasons: Object.fromEntries([...this.reasons].sort(([a], [b]) => (a < b ? -1 : 1))),
      eventsAdded: this.eventsAdded,
      blankLines: this.blankLines,
    };
  }
}
