import type { ImportSource } from '../input/byte-source.js';
import { isImportFormat } from './formats.js';
import { HistoryImportError } from './import-error.js';
import { appendOf, emptyReport, importInput } from './import-input.js';
import type { ImportOptions, RunOptions } from './import-options.js';
import type { ImportReport } from './report.js';

/**
 * Imports the records of a file or of a stream of bytes: lines of JSON, JSON documents, or a database, also in gzip. Each record has one
 * fate, and the report adds up; importing again, in pieces or in another order adds nothing. Memory is bounded by one record and the
 * appends on their way. The run's own trace is left by `finishRun`, once for all its inputs.
 *
 * @throws HistoryImportError when the input or the store fails; its report says how far it came
 */
export async function importSource(source: ImportSource, options: ImportOptions): Promise<ImportReport> {
  refuseUnknownFormat(options);
  const { report, failure } = await importInput(source, options, appendOf(options));
  if (failure !== null) throw failure;
  return report;
}

/** @throws HistoryImportError `unknown_format` */
export function refuseUnknownFormat(options: RunOptions): void {
  if (!isImportFormat(options.format ?? 'auto')) throw HistoryImportError.unknownFormat(emptyReport(options));
}
