import { lastWords } from './last-words.js';

/** A program that can't stop in this time is left to the operating system. */
const STOP_WITHIN_MS = 15_000;
/** The same after a start that failed: whoever started it waits for its end, and has its last words already. */
const END_FAILED_START_WITHIN_MS = 5000;

/** Tells of something that has begun, and how it is ended; what began last is ended first. */
export type Begun = (stop: () => Promise<void>) => void;

/**
 * The life of a program that runs until it is told to stop: SIGTERM and SIGINT stop it, once; it ends with 0, or with 1 and one sentence
 * on standard error. What files it makes are the owner's alone, since receipts are their tenants' matter.
 *
 * @param start tells of each part as soon as it has begun: a start that fails halfway ends them, so that none goes on without the others
 */
export function runProgram(start: (begun: Begun) => Promise<void>): void {
  process.umask(0o077);
  const stops: (() => Promise<void>)[] = [];
  let stopping = false;
  let starting = Promise.resolve();
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    endAfter(STOP_WITHIN_MS);
    // Told while it still starts, it stops as soon as it has started; of a start that fails is told below.
    starting.then(
      () => endWell(stops),
      () => undefined,
    );
  };
  // Before anything is started: a signal that nobody hears ends the process at once.
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  starting = start((end) => stops.push(end));
  starting.catch(async (error: unknown) => {
    process.off('SIGTERM', stop);
    process.off('SIGINT', stop);
    fail(error);
    endAfter(END_FAILED_START_WITHIN_MS);
    await stopAll(stops).catch(() => undefined);
  });
}

async function endWell(stops: readonly (() => Promise<void>)[]): Promise<void> {
  try {
    await stopAll(stops);
    process.exitCode = 0;
  } catch (error) {
    fail(error);
  }
}

/** Something that still runs then, or that can't be closed, must not keep the process. */
function endAfter(ms: number): void {
  setTimeout(() => process.exit(1), ms).unref();
}

/** Ends each of them, also when one before could not be ended. @throws what the first that failed threw */
async function stopAll(stops: readonly (() => Promise<void>)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const stop of stops.toReversed()) {
    await stop().catch((error: unknown) => {
      failures.push(error);
    });
  }
  if (failures.length > 0) throw failures[0];
}

function fail(error: unknown): void {
  process.stderr.write(`counterfoil: ${lastWords(error)}\n`);
  process.exitCode = 1;
}
