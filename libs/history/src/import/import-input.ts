import type { ImportSource } from '../input/byte-source.js';
import type { InputError } from '../input/input-error.js';
import { openInput } from '../input/open-input.js';
import type { Container, OpenedInput, OtherTables } from '../input/opened-input.js';
import { appendOnce } from './append-once.js';
import type { Append } from './append-once.js';
import { dryRunOf } from './dry-run.js';
import { HistoryImportError } from './import-error.js';
import type { ImportOptions, RunOptions } from './import-options.js';
import { InFlight } from './in-flight.js';
import { ProgressMeter } from './progress.js';
import { RecordImporter } from './record-importer.js';
import { Tally } from './report.js';
import type { ImportReport } from './report.js';

/** What became of one input. `failure` has the same report. */
export interface InputOutcome {
  readonly report: ImportReport;
  /** Null if it could not be opened. */
  readonly container: Container | null;
  readonly compressed: boolean;
  readonly otherTables: OtherTables;
  readonly failure: HistoryImportError | null;
}

const CONCURRENCY = 64;
const BYTES_IN_FLIGHT = 16 * 1024 * 1024;
const ignore = (): void => undefined;

/** How a run stores what it prepares; one for all its inputs. */
export function appendOf({ store, dryRun }: RunOptions): Append {
  return dryRun === true ? dryRunOf(store) : (appending) => appendOnce(store, appending);
}

/** Imports one input of a run. Failures are in the outcome, with what was counted until then. */
export async function importInput(source: ImportSource, options: ImportOptions, append: Append): Promise<InputOutcome> {
  const { importRun, dryRun = false, concurrency = CONCURRENCY, now, onProgress = ignore } = options;
  const tally = new Tally();
  const inFlight = new InFlight({ tasks: concurrency, bytes: BYTES_IN_FLIGHT });
  const importer = new RecordImporter(append, options, tally, inFlight);
  let input: OpenedInput | null = null;
  let meter = new ProgressMeter(now, null, onProgress);
  let interrupted = false;
  let error: { readonly is: unknown } | null = null;
  const soFar = (): ImportReport => {
    const bytes = input?.bytes ?? 0;
    return tally.report({ importRun, bytes, milliseconds: meter.milliseconds, interrupted, dryRun });
  };
  options.onStart?.(soFar);
  try {
    input = await openInput(source, options);
    meter = meter.of(input.totalBytes);
    interrupted = !(await takeAll(input, importer, options.signal, meter, tally));
    await inFlight.settle();
    inFlight.throwFailure();
  } catch (failure) {
    await inFlight.settle();
    error = { is: failure };
  }
  await input?.close();
  if (input !== null) meter.end(input.bytes, tally.read);
  const report = soFar();
  return {
    report,
    container: input?.container ?? null,
    compressed: input?.compressed ?? false,
    otherTables: input?.otherTables ?? {},
    failure: error === null ? null : HistoryImportError.of(error.is, report),
  };
}

/** The outcome of an input that can't even be opened. */
export function refusedInput(error: InputError, options: RunOptions): InputOutcome {
  const report = emptyReport(options);
  return { report, container: null, compressed: false, otherTables: {}, failure: HistoryImportError.of(error, report) };
}

/** Of an import that has not read anything. */
export function emptyReport({ importRun, dryRun = false }: RunOptions): ImportReport {
  return new Tally().report({ importRun, bytes: 0, milliseconds: 0, interrupted: false, dryRun });
}

/** Takes the records one by one; false if the signal stopped it before the end. A record cut by the stop is not looked at. */
async function takeAll(
  input: OpenedInput,
  importer: RecordImporter,
  signal: AbortSignal | undefined,
  meter: ProgressMeter,
  tally: Tally,
): Promise<boolean> {
  for await (const item of input.items()) {
    if (signal?.aborted === true) return false;
    await importer.take(item);
    meter.update(input.bytes, tally.read);
  }
  return input.ended;
}
