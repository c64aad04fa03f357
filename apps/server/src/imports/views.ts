import type { FateCounts, ImportDocument, ImportView } from '@counterfoil/contracts';
import type { ImportReport } from '@counterfoil/history';

/** What a view says that no report does. */
export type Told = Pick<ImportView, 'state' | 'by' | 'finishedAt' | 'error'>;

/** A report as the API shows it. */
export function reportView(report: ImportReport, { state, by, finishedAt, error }: Told): ImportView {
  return {
    importRun: report.importRun,
    state,
    totals: fatesOf(report),
    added: report.added,
    surfaces: report.surfaces,
    reasons: countsOf(report.reasons),
    bytes: report.bytes,
    milliseconds: Math.round(report.milliseconds),
    by,
    finishedAt,
    dryRun: report.dryRun,
    error,
  };
}

const NO_FATES: FateCounts = { read: 0, imported: 0, duplicate: 0, derivedCopy: 0, notAReceipt: 0, quarantined: 0 };
const NOTHING: ImportView['added'] = { receipts: 0, tasks: 0, taskVersions: 0, transitions: 0, copies: 0, quarantined: 0 };

/** An import that has only begun. */
export function beginningView(importRun: string, by: string, dryRun: boolean): ImportView {
  const counts = { totals: NO_FATES, added: NOTHING, surfaces: {}, reasons: {}, bytes: 0, milliseconds: 0 };
  return { importRun, state: 'running', ...counts, by, finishedAt: null, dryRun, error: null };
}

/** An import as the ledger tells of it. */
export function documentView(doc: ImportDocument): ImportView {
  const { importRun, totals, added, surfaces, reasons, bytes, milliseconds, by, finishedAt, interrupted, inputs, failedInputs } = doc;
  const hasFailed = !interrupted && failedInputs > 0;
  return {
    importRun,
    state: interrupted ? 'interrupted' : hasFailed ? 'failed' : 'finished',
    totals,
    added,
    surfaces,
    reasons,
    bytes,
    milliseconds,
    by,
    finishedAt,
    dryRun: false,
    error: hasFailed ? { code: 'import_unreadable', detail: unreadInputs(failedInputs, inputs) } : null,
  };
}

const unreadInputs = (failed: number, inputs: number): string =>
  `${String(failed)} of ${String(inputs)} inputs could not be read to their end, or stored.`;

function fatesOf({ read, imported, duplicate, derivedCopy, notAReceipt, quarantined }: ImportReport): FateCounts {
  return { read, imported, duplicate, derivedCopy, notAReceipt, quarantined };
}

/** Without the reasons that did not occur. */
function countsOf(reasons: ImportReport['reasons']): Record<string, number> {
  return Object.fromEntries(Object.entries(reasons).filter(([, count]) => count > 0));
}
