import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { CURRENT_VERSIONS } from '@counterfoil/contracts';
import { openSqliteEventStore, UpcastingRegistry, type EventStore } from '@counterfoil/event-store';
import { openSqliteDocumentStore, type DocumentStore } from '@counterfoil/read-models';

/** A directory with one ledger file, which any number of stores have open. */
export interface ProjectionFixture {
  readonly file: string;
  docs(): Promise<DocumentStore>;
  events(): Promise<EventStore>;
  /** Closes all that was opened, and removes the directory. */
  dispose(): Promise<void>;
}

export async function projectionFixture(): Promise<ProjectionFixture> {
  const directory = await mkdtemp(path.join(tmpdir(), 'counterfoil-projections-'));
  const file = path.join(directory, 'ledger.db');
  const opened: { close(): Promise<void> }[] = [];
  const keep = <T extends { close(): Promise<void> }>(store: T): T => {
    opened.push(store);
    return store;
  };
  return {
    file,
    docs: async () => keep(await openSqliteDocumentStore({ file })),
    events: async () => keep(await openSqliteEventStore({ file, registry: plainRegistry() })),
    dispose: async () => {
      await Promise.all(opened.map((store) => store.close()));
      await rm(directory, { recursive: true });
    },
  };
}

/** Every type as it is written today, and no old versions: today's count as the first, which is what a TallyFeed writes. */
export function plainRegistry(): UpcastingRegistry {
  return new UpcastingRegistry({ types: Object.fromEntries(Object.keys(CURRENT_VERSIONS).map((type) => [type, 1])), steps: [] });
}

/** Waits until a condition holds; a test in which it never does ends by jest's own time-out. */
export async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await delay(5);
}

/** Something that runs until its signal aborts, such as an engine. */
export interface Runnable {
  run(signal: AbortSignal): Promise<void>;
}

export interface Running {
  /** Resolves when it has ended; rejects with what ended it. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

export function start(runnable: Runnable): Running {
  const controller = new AbortController();
  const ended = runnable.run(controller.signal);
  // Whoever awaits `ended` hears of a failure; until then it isn't an unhandled one.
  ended.catch(() => undefined);
  return {
    ended,
    stop: async () => {
      controller.abort();
      await ended;
    },
  };
}
