import type { EventStore } from '@counterfoil/event-store';
import { splitLines } from '../lines/split-lines.js';
import { HistoryImportError } from './import-error.js';
import { InFlight } from './in-flight.js';
import type { ImportContext } from './prepared.js';
import { ProgressMeter } from './progress.js';
import type { ImportProgress } from './progress.js';
import { RecordImporter } from './record-importer.js';
import { Tally } from './report.js';
import type { ImportReport } from './report.js';
import { Input } from './source.js';
import type { ImportSource } from './source.js';

export interface ImportOptions extends ImportContext {
  readonly store: EventStore;
  /** Called at most every 250 ms, and once at the end. */
  readonly onProgress?: (progress: ImportProgress) => void;
  /** Stops the import between two records; what is on its way to the store is awaited. */
  readonly signal?: AbortSignal;
  /** Bytes of a line that is still read; default 16 MiB. */
  readonly lineLimit?: number;
  /** Appends on their way at once; default 64. */
  readonly concurrency?: number;
}

const LINE_LIMIT = 16 * 1024 * 1024;
const HEAD_BYTES = 64 * 1024;
const CONCURRENCY = 64;
const BYTES_IN_FLIGHT = 16 * 1024 * 1024;
const ignore = (): void => undefined;

/**
 * Imports the lines of a file or of a stream of bytes. Each record has one fate, and the report adds up; importing again, in pieces or
 * in another order adds nothing. Memory is bounded by one line and the appends on their way.
 *
 * @throws HistoryImportError when the input or the store fails; its report says how far it came
 */
export async function importLines(source: ImportSource, options: ImportOptions): Promise<ImportReport> {
  const { store, now, signal, importRun, onProgress = ignore, concurrency = CONCURRENCY } = options;
  const tally = new Tally();
  const inFlight = new InFlight({ tasks: concurrency, bytes: BYTES_IN_FLIGHT });
  const importer = new RecordImporter(store, options, tally, inFlight);
  let input: Input;
  try {
    input = await Input.open(source, signal);
  } catch (error) {
    throw HistoryImportError.of(error, tally.report({ importRun, bytes: 0, milliseconds: 0, interrupted: false }));
  }
  const meter = new ProgressMeter(now, input.totalBytes, onProgress);
  const finish = (interrupted: boolean): ImportReport => {
    meter.end(input.bytes, tally.read);
    return tally.report({ importRun, bytes: input.bytes, milliseconds: meter.milliseconds, interrupted });
  };
  try {
    const complete = await takeAll(input, importer, options, () => {
      meter.update(input.bytes, tally.read);
    });
    await inFlight.settle();
    inFlight.throwFailure();
    return finish(!complete);
  } catch (error) {
    await inFlight.settle();
    throw HistoryImportError.of(error, finish(false));
  }
}

/** Takes the lines one by one; false if the signal stopped it before the end. A line cut by the stop is not looked at. */
async function takeAll(input: Input, importer: RecordImporter, options: ImportOptions, afterEach: () => void): Promise<boolean> {
  const { signal, lineLimit = LINE_LIMIT } = options;
  for await (const line of splitLines(input.chunks(), { limit: lineLimit, headBytes: HEAD_BYTES })) {
    if (signal?.aborted === true) return false;
    await importer.take(line);
    afterEach();
  }
  return input.ended;
}
