import type { Container, OtherTables } from '../input/opened-input.js';
import { finishRun } from './finish-run.js';
import { HistoryImportError, isOfInput } from './import-error.js';
import type { ImportErrorCode } from './import-error.js';
import type { Append } from './append-once.js';
import { appendOf, importInput, refusedInput } from './import-input.js';
import type { InputOutcome } from './import-input.js';
import type { RunOptions } from './import-options.js';
import { refuseUnknownFormat } from './import-source.js';
import { listInputs, STDIN } from './list-inputs.js';
import type { ListedInput } from './list-inputs.js';
import type { ImportProgress } from './progress.js';
import { sumReports } from './report.js';
import type { ImportReport } from './report.js';

/** How far a run has come in one of its files. */
export interface PathsProgress extends ImportProgress {
  readonly path: string;
  /** 0-based, of `count`. */
  readonly index: number;
  readonly count: number;
}

export interface PathsOptions extends RunOptions {
  /** What `-` reads. */
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Called at most every 250 ms, and once at the end of each file. */
  readonly onProgress?: (progress: PathsProgress) => void;
}

/** What became of one file. Its name stays here: no event names it. */
export interface FileReport {
  readonly path: string;
  /** Null if it could not be opened. */
  readonly container: Container | null;
  readonly compressed: boolean;
  readonly otherTables: OtherTables;
  readonly report: ImportReport;
  /** Why it could not be read, or not to its end: what `report` counts was stored. */
  readonly error: { readonly code: ImportErrorCode; readonly detail: string } | null;
}

export interface PathsReport {
  /** In the order in which they were read; those behind a stop are missing. */
  readonly files: readonly FileReport[];
  readonly total: ImportReport;
}

const ignore = (): void => undefined;

/**
 * Imports files, folders and standard input (`-`) as one run, and leaves its trace (see `finishRun`). A file that can't be read doesn't
 * stop the others.
 *
 * @throws HistoryImportError `unknown_format`, `store_failed`, `internal`; its report is the sum of what was done until then
 */
export async function importPaths(paths: readonly string[], options: PathsOptions): Promise<PathsReport> {
  refuseUnknownFormat(options);
  const run = new PathsRun(options);
  const listed = await listInputs(paths);
  for (const [index, input] of listed.entries()) if (!(await run.take(input, index, listed.length))) break;
  return run.finish();
}

class PathsRun {
  private readonly files: FileReport[] = [];
  private readonly append: Append;
  private readonly startedAt: number;
  private interrupted = false;

  constructor(private readonly options: PathsOptions) {
    this.append = appendOf(options);
    this.startedAt = options.now();
  }

  /** Imports one file; false once the run was stopped. @throws HistoryImportError where more than the file is at fault */
  async take(input: ListedInput, index: number, count: number): Promise<boolean> {
    const { signal } = this.options;
    if (signal?.aborted !== true) {
      const outcome = await this.import(input, index, count);
      const { failure } = outcome;
      this.files.push(fileReport(input.path, outcome));
      if (failure !== null && !isOfInput(failure)) throw HistoryImportError.again(failure, this.total());
      this.interrupted = outcome.report.interrupted;
    } else this.interrupted = true;
    return !this.interrupted;
  }

  async finish(): Promise<PathsReport> {
    const { files } = this;
    const total = this.total();
    const failedInputs = files.filter(({ error }) => error !== null).length;
    try {
      await finishRun(this.options.store, this.options, { report: total, inputs: files.length, failedInputs });
    } catch (error) {
      throw HistoryImportError.of(error, total);
    }
    return { files, total };
  }

  private async import({ path, failure }: ListedInput, index: number, count: number): Promise<InputOutcome> {
    const { onProgress = ignore, stdin } = this.options;
    if (failure !== null) return refusedInput(failure, this.options);
    const tell = (progress: ImportProgress): void => {
      onProgress({ ...progress, path, index, count });
    };
    return importInput(path === STDIN ? stdin : path, { ...this.options, onProgress: tell }, this.append);
  }

  private total(): ImportReport {
    const { importRun, now, dryRun = false } = this.options;
    const reports = this.files.map(({ report }) => report);
    const bytes = reports.reduce((sum, report) => sum + report.bytes, 0);
    const milliseconds = Math.max(0, now() - this.startedAt);
    return sumReports(reports, { importRun, bytes, milliseconds, interrupted: this.interrupted, dryRun });
  }
}

function fileReport(path: string, { container, compressed, otherTables, report, failure }: InputOutcome): FileReport {
  const error = failure === null ? null : { code: failure.code, detail: failure.message };
  return { path, container, compressed, otherTables, report, error };
}
