// Counts what jest reported: node scripts/tally.mjs REPORT EXIT_CODE prints "PASSED FAILED".
// A suite that did not even load counts as one failure, and so does an exit code that no failed test explains.
import { readFileSync } from 'node:fs';

const [file, exitCode] = process.argv.slice(2);

function readReport() {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    // It was never written, or jest was killed while it wrote.
    return { numPassedTests: 0, numFailedTests: 0, numRuntimeErrorTestSuites: 0, numPendingTests: 0 };
  }
}

const report = readReport();
const failed = report.numFailedTests + report.numRuntimeErrorTestSuites;
if (report.numPendingTests > 0) process.stderr.write(`${String(report.numPendingTests)} tests were skipped\n`);
process.stdout.write(`${String(report.numPassedTests)} ${String(failed === 0 && exitCode !== '0' ? 1 : failed)}\n`);
