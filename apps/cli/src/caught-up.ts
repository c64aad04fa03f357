import { DomainError } from '@counterfoil/contracts';
import type { Ledger, ReadModels } from '@counterfoil/ledger';
import { CliError } from './cli-error.js';
import { endProgress, printProgress } from './output.js';

/** How long the read models may stand still before nobody is thought to build them. */
const STILL_MS = 15_000;
const LOOK_MS = 1000;

/**
 * The read models with everything that is stored now. They are built here for as long as that takes, unless another process does it:
 * then that one is waited for, as projectors always are.
 *
 * @param signal stops the wait
 * @throws CliError when they stand still, or the signal aborts
 */
export async function caughtUp(ledger: Ledger, signal: AbortSignal): Promise<ReadModels> {
  const head = await ledger.store.head();
  const now = await ledger.readModels(null, 0);
  if (now.position >= head) return now;
  const enough = new AbortController();
  const until = AbortSignal.any([signal, enough.signal]);
  const building = ledger.projectsHere ? ledger.engine.run(until) : ended(until);
  try {
    return await Promise.race([reached(ledger, head, until), building.then(stopped)]);
  } finally {
    enough.abort();
    await building.catch(() => undefined);
    endProgress();
  }
}

async function reached(ledger: Ledger, head: bigint, signal: AbortSignal): Promise<ReadModels> {
  let position = -1n;
  let movedAt = performance.now();
  for (;;) {
    const models = await within(ledger, head);
    if (models !== null) return models;
    if (signal.aborted) return stopped();
    const { position: next } = await ledger.readModels(null, 0);
    if (next !== position) movedAt = performance.now();
    else if (performance.now() - movedAt > STILL_MS) {
      throw new CliError(
        `The read models stand still at position ${String(next)} of ${String(head)}: see GET /health/ready of the server, or of the projectors.`,
      );
    }
    position = next;
    printProgress(`read models: position ${String(next)} of ${String(head)}`);
  }
}

const ended = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    signal.addEventListener(
      'abort',
      () => {
        resolve();
      },
      { once: true },
    );
  });

async function within(ledger: Ledger, head: bigint): Promise<ReadModels | null> {
  try {
    return await ledger.readModels(head, LOOK_MS);
  } catch (error) {
    if (error instanceof DomainError && error.code === 'projection_lagging') return null;
    throw error;
  }
}

function stopped(): never {
  throw new CliError('Stopped before the read models held everything.', 130);
}
