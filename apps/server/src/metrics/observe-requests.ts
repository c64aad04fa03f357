import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Metrics } from './metrics.js';

/** Their length is the client's, and says nothing about how fast an answer was. */
const ENDLESS: ReadonlySet<string> = new Set(['/v1/stream']);

/** They take as long as their body is in coming. */
const UNTIMED: ReadonlySet<string> = new Set(['POST /v1/imports']);

/** What is counted for an answer whose client went away before its end; a stream has no other end. */
const CLIENT_LEFT = 499;

/** Tells the metrics of every answer once: also of those that were refused before a handler ran, and of those that nobody waited for. */
export function observeRequests(fastify: Pick<FastifyInstance, 'addHook'>, metrics: Pick<Metrics, 'answered'>): void {
  const counted = new WeakSet<FastifyRequest>();
  const count = (request: FastifyRequest, reply: FastifyReply, isWhole: boolean): void => {
    if (counted.has(request)) return;
    counted.add(request);
    const route = request.is404 ? null : (request.routeOptions.url ?? null);
    const isEndless = route !== null && ENDLESS.has(route);
    const status = isWhole || (isEndless && reply.raw.headersSent) ? reply.raw.statusCode : CLIENT_LEFT;
    const isTimed = isWhole && !isEndless && !UNTIMED.has(`${request.method} ${route ?? ''}`);
    metrics.answered(request.method, route, status, isTimed ? reply.elapsedTime / 1000 : null);
  };
  fastify.addHook('onRequest', (request, reply, done) => {
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) count(request, reply, false);
    });
    done();
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    count(request, reply, true);
    done();
  });
}
