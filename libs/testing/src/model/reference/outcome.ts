import type { Call, Report, Status, Verified } from './shapes.js';

/** Declared success exit codes win over what the runner says, of a run that came to its end (promise 18). */
export function statusOf(call: Call, { status, exitCode }: Report): Status {
  const codes = call.spec?.exitCodes ?? null;
  if (codes === null || exitCode === null || !['succeeded', 'failed'].includes(status)) return status;
  return codes.includes(exitCode) ? 'succeeded' : 'failed';
}

const UNAVAILABLE: Verified = { state: 'unavailable', change: null };

/** Whether what was expected was found (promise 19). */
export function verify(call: Call, report: Report): Verified {
  const { expected, before } = call;
  if (expected.kind === 'not_applicable') return { state: 'not_applicable', change: null };
  if (expected.kind === 'unavailable') return UNAVAILABLE;
  if (expected.kind === 'command') {
    const isWhole = report.exitCode !== null && !report.signal && ['succeeded', 'failed'].includes(report.status);
    if (!isWhole) return UNAVAILABLE;
    return { state: (call.spec?.exitCodes ?? [0]).includes(report.exitCode) ? 'verified' : 'failed', change: null };
  }
  const { found, method } = report;
  if (method !== 'content_digest' || found === null || found === 'unread') return UNAVAILABLE;
  if (found !== expected.content) return { state: 'failed', change: null };
  if (before === null || before === 'unread') return { state: 'verified', change: 'unknown' };
  return { state: 'verified', change: before === found ? 'unchanged' : 'changed' };
}
