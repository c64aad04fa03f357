import type { ProjectionStatus } from '@counterfoil/projections';
import { fastify, type FastifyInstance } from 'fastify';

/** Prometheus' text exposition format. */
const TEXT_FORMAT = 'text/plain; version=0.0.4; charset=utf-8';

export interface Watched {
  /** Null when the stores can't be read, or not in time. */
  status(): Promise<ProjectionStatus | null>;
  /** Tells, when they can't, which one it is. */
  areReadModelsReachable(): Promise<boolean>;
  /** Everything in Prometheus' text format. */
  metrics(): Promise<string>;
  isStopping(): boolean;
}

/** What whoever runs the process may ask of it: facts about it, and none about the users of the ledger. */
export function createHttp(watched: Watched): FastifyInstance {
  const app = fastify({ logger: false, bodyLimit: 1024, forceCloseConnections: true });
  app.get('/health/live', () => ({ status: 'live' }));
  app.get('/health/ready', async (_request, reply) => {
    // Both at once: who asks hasn't the time for one after the other.
    const [status, areReachable] = await Promise.all([watched.status(), watched.areReadModelsReachable()]);
    const isReady = status !== null && isProjecting(status) && !watched.isStopping();
    const unreachable = status === null ? { unreachable: [areReachable ? 'event_store' : 'read_models'] } : {};
    return reply
      .status(isReady ? 200 : 503)
      .send({ status: isReady ? 'ready' : 'not_ready', ...unreachable, projections: status && factsOf(status) });
  });
  app.get('/metrics', async (_request, reply) => reply.type(TEXT_FORMAT).send(await watched.metrics()));
  return app;
}

/** A process without partitions, or without a slot, is ready, too: to take some. */
const isProjecting = ({ state, fault }: ProjectionStatus): boolean =>
  (state === 'running' || state === 'contending') && fault === undefined;

/** Numbers and words of ours. */
function factsOf({ set, version, state, generation, lagPositions, parkedCount, fault, partitions }: ProjectionStatus): object {
  return {
    set,
    version,
    state,
    generation,
    lagPositions: lagPositions.toString(),
    parkedStreams: parkedCount,
    fault: fault?.code ?? null,
    partitions:
      partitions?.map(({ partition, owner, lagPositions: lag }) => ({
        partition,
        owner: owner?.name ?? null,
        lagPositions: lag.toString(),
      })) ?? null,
  };
}
