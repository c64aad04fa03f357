import type { TaskStatus } from '@counterfoil/contracts';
import * as build from './imported-records.js';
import { testLog, type TestLog } from './log.js';
import { digestOf } from './values.js';

const WORKSPACES = ['w1', 'w1', 'w1', 'w2'];
const STATUSES: readonly (TaskStatus | null)[] = ['pending', 'running', 'succeeded', 'failed', null];
const USERS = ['u0', 'u1', 'u2', null, 'not an id'];

/** The n-th of some values, over and over. */
function among<T>(values: readonly T[], n: number): T {
  const value = values[n % values.length];
  if (value === undefined) throw new RangeError('there are no values');
  return value;
}

/**
 * A log with many imported tasks of two workspaces, some users and some sessions, for specs of queries. Every third row has a later
 * version; each task has up to four changes in the old event log, which are imported before or after the row and in no order; a task
 * id is that of several users' tasks; and every second task has two copies of a receipt.
 */
export function manyImported(count: number, log: TestLog = testLog()): TestLog {
  for (let n = 0; n < count; n++) {
    const workspaceId = among(WORKSPACES, n);
    const coordinates = { workspaceId: 'source-1', userId: among(USERS, n), sessionId: `s${n % 7}`, taskId: `task_${n % 40}` };
    const own = { workspaceId, coordinates, importRun: `run-${n % 3}` };
    const name = `${workspaceId}/c${n}`;
    const changes = Array.from({ length: n % 5 }, (_, i) => (): void => addChange(log, `${name}-t${i}`, own, (i * 3 + n) % 7));
    for (const change of changes.slice(0, n % 3)) change();
    addRow(log, name, { ...own, status: among(STATUSES, n), recordedStatus: among(STATUSES, n) ?? 'done-ish' }, n);
    for (const change of changes.slice(n % 3)) change();
    if (n % 2 === 0) addCopies(log, name, own, n);
  }
  return log;
}

type Own = Pick<NonNullable<Parameters<typeof build.historicalTaskImported>[0]>, 'coordinates' | 'importRun' | 'workspaceId'>;

const keyOf = (name: string): string => name.slice(name.indexOf('/') + 1);

function addRow(log: TestLog, name: string, own: Parameters<typeof build.historicalTaskImported>[0], n: number): void {
  const row = { ...own, recordKey: keyOf(name), evidenceCount: n % 3 };
  log.append(`history-${name}`, build.historicalTaskImported({ ...row, contentDigest: digestOf(`first-${n}`) }));
  if (n % 3 !== 0) return;
  const later = { ...row, status: 'cancelled', recordedStatus: 'cancelled', updatedAt: '2026-09-01T00:00:00Z' } as const;
  log.append(`history-${name}`, build.historicalTaskImported({ ...later, contentDigest: digestOf(`later-${n}`) }));
}

/** @param second of the change; the change of second 0 says no time */
function addChange(log: TestLog, name: string, own: Own, second: number): void {
  const event = build.historicalTransitionImported({ ...own, recordKey: keyOf(name), transition: 'task.running', to: 'running' });
  log.appendParts(`history-${name}`, [event], second === 0 ? {} : { occurredAt: `2026-08-20T09:00:0${second}.5Z` });
}

function addCopies(log: TestLog, name: string, { coordinates, ...own }: Own, n: number): void {
  const copied = { ...coordinates, receiptId: n % 10 === 0 ? null : `receipt_${n % 8}` };
  for (const i of [1, 2]) {
    const copy = { ...own, recordKey: keyOf(`${name}-k${i}`), coordinates: copied };
    log.append(`history-${name}-k${i}`, build.historicalCopyImported(copy));
  }
}
