import type { EventData, FateCounts } from '@counterfoil/contracts';
import { builder } from './builder.js';
import { testLog, type TestLog } from './log.js';
import { WORKSPACE } from './scope.js';
import { digestOf, payloadOf } from './values.js';

/** Key of a record that has no coordinates, for a short label. */
export const recordKeyOf = (label: string): string => `x${label.padEnd(27, '_')}`;

/** Stream of a record that was put aside. */
export const asideStream = (label: string, workspaceId = WORKSPACE): string => `history-${workspaceId}/q${recordKeyOf(label)}`;

/** Stream of an import. */
export const importStream = (run: string, workspaceId = WORKSPACE): string => `import-${workspaceId}/${run}`;

export const recordQuarantined = builder('HistoricalRecordQuarantined', {
  workspaceId: WORKSPACE,
  recordKey: recordKeyOf('a'),
  importRun: 'run-1',
  reason: 'not_json',
  detail: 'The line is no JSON: it was cut, or it is something else.',
  line: 7,
  byteOffset: 4096,
  table: null,
  row: null,
  member: null,
  record: payloadOf('{"cut": '),
  contentDigest: digestOf('a'),
});

/** Counts that add up, as those of every import do. */
export function fates(counts: Partial<Omit<FateCounts, 'read'>> = {}): FateCounts {
  const { imported = 0, duplicate = 0, derivedCopy = 0, notAReceipt = 0, quarantined = 0 } = counts;
  return {
    read: imported + duplicate + derivedCopy + notAReceipt + quarantined,
    imported,
    duplicate,
    derivedCopy,
    notAReceipt,
    quarantined,
  };
}

const NOTHING: EventData<'ImportFinished'>['added'] = { receipts: 0, tasks: 0, taskVersions: 0, transitions: 0, copies: 0, quarantined: 0 };

/** What an import added, by kind. */
export const addedOf = (some: Partial<typeof NOTHING> = {}): typeof NOTHING => ({ ...NOTHING, ...some });

export const importFinished = builder('ImportFinished', {
  workspaceId: WORKSPACE,
  importRun: 'run-1',
  totals: fates({ imported: 2, quarantined: 1 }),
  added: addedOf({ receipts: 2, quarantined: 1 }),
  surfaces: { 'execution.receipt': fates({ imported: 2 }), unreadable: fates({ quarantined: 1 }) },
  reasons: { not_json: 1 },
  inputs: 1,
  failedInputs: 0,
  bytes: 900,
  milliseconds: 40,
  interrupted: false,
});

const REASONS = ['not_json', 'duplicate_key', 'time_impossible'];

/** A log of imports in two workspaces, for specs of queries: four runs, each record put aside for one of three reasons. */
export function manyImports(count: number, log: TestLog = testLog()): TestLog {
  for (let n = 0; n < count; n++) {
    const workspaceId = n % 5 === 0 ? 'w2' : WORKSPACE;
    const importRun = `run-${String(n % 4)}`;
    const label = String(n);
    const reason = REASONS[n % REASONS.length] ?? 'not_json';
    log.append(
      asideStream(label, workspaceId),
      recordQuarantined({ workspaceId, recordKey: recordKeyOf(label), importRun, reason, line: n + 1, record: payloadOf(label) }),
    );
    if (n % 10 === 9) log.append(importStream(label, workspaceId), importFinished({ workspaceId, importRun: label }));
  }
  return log;
}
