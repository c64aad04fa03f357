/** A program that can't stop in this time is left to the operating system. */
const STOP_WITHIN_MS = 15_000;

export interface RunningProgram {
  /** Ends what runs, and closes what is open. */
  stop(): Promise<void>;
}

/**
 * The life of a program that runs until it is told to stop: SIGTERM and SIGINT stop it, once; it ends with 0, or with 1 and one sentence
 * on standard error. What files it makes are the owner's alone, since receipts are their tenants' matter.
 */
export function runProgram(start: () => Promise<RunningProgram>): void {
  process.umask(0o077);
  let stopping = false;
  let starting: Promise<RunningProgram> | null = null;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
    // Told while it still starts, it stops as soon as there is something to stop.
    starting
      ?.then((program) => program.stop())
      .then(() => {
        process.exitCode = 0;
      }, fail);
  };
  // Before anything is started: a signal that nobody hears ends the process at once.
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  starting = start();
  starting.catch((error: unknown) => {
    process.off('SIGTERM', stop);
    process.off('SIGINT', stop);
    if (!stopping) fail(error);
  });
}

/** Errors of ours carry a code, and their message is for people; of any other the stack is what there is to go by. */
function fail(error: unknown): void {
  const known = error instanceof Error && 'code' in error && typeof error.code === 'string';
  const text = error instanceof Error ? (known ? error.message : (error.stack ?? error.message)) : String(error);
  process.stderr.write(`counterfoil: ${text}\n`);
  process.exitCode = 1;
}
