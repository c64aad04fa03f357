import 'reflect-metadata';
import { setTimeout as sleep } from 'node:timers/promises';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Ledger, Settings } from '@counterfoil/ledger';
import { AppModule } from './app.module.js';
import { createFastifyAdapter } from './http/fastify.js';
import { trackUnused } from './http/unused-connections.js';
import { Metrics } from './metrics/metrics.js';
import { observeRequests } from './metrics/observe-requests.js';
import { createLogger, type Logger } from '@counterfoil/runtime';
import { Shutdown } from './runtime/shutdown.js';

export interface RunningServer {
  /** Where it listens, for example `http://127.0.0.1:4810`. */
  readonly url: string;
  readonly app: NestFastifyApplication;
  /** Every route, as `METHOD path`: for the test that walks the table of roles. */
  routes(): string[];
  /** Stops taking requests, lets those under way finish, stops projections and sweeper. Does not close the ledger. */
  stop(): Promise<void>;
}

/** A server that could not start says so after so long at the latest, whatever its parts still wait for. */
const UNDO_WITHIN_MS = 3000;

/**
 * Starts the HTTP API of an open ledger, and what runs in its background.
 *
 * @throws Error when it can't listen where it was told to; then nothing of it runs any more
 */
export async function startServer(
  ledger: Ledger,
  settings: Pick<Settings, 'host' | 'port' | 'bodyLimitBytes' | 'log'>,
  logger: Logger = createLogger(settings.log),
): Promise<RunningServer> {
  const app = await NestFactory.create<NestFastifyApplication>(
    AppModule.of(ledger, logger),
    createFastifyAdapter({ bodyLimitBytes: settings.bodyLimitBytes, access: ledger.access }),
    {
      bodyParser: false,
      logger: false,
      abortOnError: false,
    },
  );
  const routes: string[] = [];
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('onRoute', ({ method, url }) => {
    for (const one of [method].flat()) routes.push(`${one} ${url}`);
  });
  observeRequests(fastify, app.get(Metrics));
  const endUnused = trackUnused(fastify.server);
  const shutdown = app.get(Shutdown);
  const stop = async (): Promise<void> => {
    // Long-polls answer and streams end at once; then the server closes when the last request is answered.
    shutdown.begin();
    endUnused();
    await app.close();
  };
  // Nest begins the work in the background before it listens.
  await app.listen(settings.port, settings.host).catch((error: unknown) => undo(stop, error));
  return { url: await app.getUrl(), app, routes: () => [...routes], stop };
}

async function undo(stop: () => Promise<void>, error: unknown): Promise<never> {
  const over = new AbortController();
  const waited = sleep(UNDO_WITHIN_MS, undefined, { signal: over.signal });
  // What matters is why it could not start.
  await Promise.race([stop(), waited]).catch(() => undefined);
  over.abort();
  await waited.catch(() => undefined);
  throw error;
}
