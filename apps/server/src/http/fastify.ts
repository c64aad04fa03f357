import type { Socket } from 'node:net';
import type { AccessRegistry } from '@counterfoil/ledger';
import { DomainError } from '@counterfoil/contracts';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { uuidV7 } from '@counterfoil/canonical';
import { checkAccess } from './check-access.js';
import { problem, PROBLEM_TYPE, sendProblem, type Problem } from './problem.js';
import { continueSending, endAfterEarlyAnswer, holdBack, limitBodyTime } from './unread-bodies.js';
import { addUploads, isUpload, takeAsUpload } from './uploads.js';

/** Request line and headers together. */
const MAX_HEADER_BYTES = 16 * 1024;
/** For a body that is read whole; an upload has no end that we know. */
const BODY_TIMEOUT_MS = 120_000;
const KEEP_ALIVE_MS = 75_000;

export interface AdapterOptions {
  readonly bodyLimitBytes: number;
  readonly access: AccessRegistry;
}

/**
 * The Fastify adapter with our limits. Bodies are read as bytes and parsed by our own reader only: Fastify's parser would refuse
 * `__proto__` and swallow duplicate keys (promise 5).
 */
export function createFastifyAdapter(options: AdapterOptions): FastifyAdapter {
  const adapter = new FastifyAdapter({
    bodyLimit: options.bodyLimitBytes,
    http: { maxHeaderSize: MAX_HEADER_BYTES },
    keepAliveTimeout: KEEP_ALIVE_MS,
    forceCloseConnections: 'idle',
    // While it stops, requests that are here are answered, and no new connection is taken.
    return503OnClosing: false,
    genReqId: () => uuidV7(Date.now()),
    clientErrorHandler: answerUnreadable,
    // A URL that can't be read is a route that isn't there; it is never quoted.
    frameworkErrors: (_error: FastifyError, request: FastifyRequest, reply: FastifyReply): void => {
      void sendProblem(reply, problem('not_found', 'There is no such route.', request.id));
    },
    routerOptions: { maxParamLength: 1024 },
    logger: false,
  });
  const fastify = adapter.getInstance();
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
  addUploads(fastify);
  holdBack(fastify.server);
  fastify.addHook('onRequest', async (request, reply) => {
    try {
      await checkAccess(options.access, request);
      if (isUpload(request)) takeAsUpload(request);
      else limitBodyTime(request, reply, BODY_TIMEOUT_MS, answerSlow);
    } catch (error) {
      if (!(error instanceof DomainError)) throw error;
      await sendProblem(reply, problem(error.code, error.detail, request.id));
    }
  });
  fastify.addHook('preParsing', (request, reply, _payload, done) => {
    continueSending(request, reply);
    done();
  });
  fastify.addHook('onSend', async (request, reply, payload) => {
    void reply.header('counterfoil-correlation-id', request.id);
    void reply.header('cache-control', 'no-store');
    endAfterEarlyAnswer(request, reply);
    return Promise.resolve(payload);
  });
  return adapter;
}

/** What Node can't read as HTTP still gets a problem document. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  answerByHand(
    socket,
    error.code === 'HPE_HEADER_OVERFLOW'
      ? problem('header_too_large', 'Request line and headers may have 16 KiB together.', uuidV7(Date.now()))
      : problem('malformed_json', 'The request is not HTTP that this server reads.', uuidV7(Date.now())),
  );
}

function answerSlow(socket: Socket): void {
  answerByHand(socket, problem('malformed_json', 'The body did not come in time.', uuidV7(Date.now())));
}

function answerByHand(socket: Socket, answer: Problem): void {
  const body = JSON.stringify(answer);
  const head = [
    `HTTP/1.1 ${String(answer.status)} ${answer.title}`,
    `content-type: ${PROBLEM_TYPE}`,
    `content-length: ${String(Buffer.byteLength(body))}`,
    'connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}
