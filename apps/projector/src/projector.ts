import { setTimeout as sleep } from 'node:timers/promises';
import type { ProjectionEngine } from '@counterfoil/projections';
import { SharedLook, type Logger } from '@counterfoil/runtime';
import { createHttp } from './http.js';
import { Metrics } from './metrics.js';

/** The pause after the projections have failed for good, before they are begun again: someone may have mended the cause. */
const AGAIN_AFTER_MS = 1000;

/** A question more often than this is answered from the last answer: whoever watches can't load the stores. */
const FRESH_FOR_MS = 1000;
/** Whoever asks has a time limit of a few seconds, and a store that is away is tried again for longer than that. */
const LOOK_LIMIT_MS = 2500;

const SAID = {
  taken: 'partitions taken over',
  given_back: 'partitions given back',
  lost: 'partitions lost: another process has ended the lease',
} as const;

export interface Projector {
  /** Where it answers, for example `http://127.0.0.1:4810`. */
  readonly url: string;
  /** Stops between two batches, and gives back what it had, so that others needn't wait for it. Does not close the stores. */
  stop(): Promise<void>;
}

/** What a projector may say and count of the faults of an engine, which hears of this one when it is made. */
export class Faults {
  private listener: (error: unknown) => void = () => undefined;

  readonly note = (error: unknown): void => {
    this.listener(error);
  };

  listen(listener: (error: unknown) => void): void {
    this.listener = listener;
  }
}

/** Runs the projections of this process, and answers how it is. */
export async function startProjector(
  engine: ProjectionEngine,
  faults: Faults,
  { host, port }: { readonly host: string; readonly port: number },
  logger: Logger,
): Promise<Projector> {
  const metrics = new Metrics();
  const looking = { limitMs: LOOK_LIMIT_MS, freshMs: FRESH_FOR_MS };
  const status = new SharedLook(() => engine.status(), looking);
  const readModels = new SharedLook(() => askReadModels(engine), looking);
  const stopping = new AbortController();
  faults.listen((error) => {
    metrics.fault();
    logger.error('the projections are tried again after a fault', { error });
  });
  engine.listen((applied) => {
    metrics.applied(applied);
  });
  engine.watchOwnership((change) => {
    metrics.ownership(change);
    const { partitions, previous, owned } = change;
    logger.info(SAID[change.kind], { partitions, previous, owned });
  });
  const http = createHttp({
    status: () => status.get(),
    areReadModelsReachable: async () => (await readModels.get()) !== null,
    metrics: async () => metrics.text(await status.get()),
    isStopping: () => stopping.signal.aborted,
  });
  const url = await http.listen({ host, port });
  const running = runUntil(engine, stopping.signal, logger);
  return {
    url,
    stop: async () => {
      stopping.abort();
      await running;
      await http.close();
    },
  };
}

/** Where the read models are is asked of their store, not remembered. */
async function askReadModels({ readModels }: ProjectionEngine): Promise<number> {
  readModels.refresh();
  return readModels.generation();
}

/** A failure is logged and the projections begun again, never the end of the process: it says that it isn't ready. */
async function runUntil(engine: ProjectionEngine, signal: AbortSignal, logger: Logger): Promise<void> {
  while (!signal.aborted) {
    try {
      await engine.run(signal);
    } catch (error) {
      logger.error('the projections have stopped and are begun again', { error });
      await sleep(AGAIN_AFTER_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}
