import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** How long a client that was answered early may go on sending before its connection is cut. */
const LINGER_MS = 2000;

/** Whether a request has a body that has not come to its end. */
export function isStillSending({ headers, complete }: Pick<IncomingMessage, 'headers' | 'complete'>): boolean {
  const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
  return hasBody && !complete;
}

/**
 * Has the connection end after an answer that comes before the request's end: what still comes of the body is thrown away, and the
 * client gets to read the answer first (RFC 9112, section 9.6: else the reset that its next bytes meet may take the answer from it).
 */
export function endAfterEarlyAnswer(request: FastifyRequest, reply: FastifyReply): void {
  if (!isStillSending(request.raw)) return;
  void reply.header('connection', 'close');
  linger(request.raw);
}

/** Node ends a connection by `destroySoon`, with which it stops reading. */
function linger(request: IncomingMessage): void {
  const { socket } = request;
  socket.destroySoon = () => {
    socket.end();
    const cut = (): void => {
      socket.destroy();
    };
    const timer = setTimeout(cut, LINGER_MS);
    socket.once('end', cut);
    request.once('end', cut);
    socket.once('close', () => {
      clearTimeout(timer);
    });
    request.resume();
  };
}

/**
 * Ends requests whose body takes too long as a whole. Node's own limit would be for all routes, and an upload may take hours.
 *
 * @param onOver gets the connection of a request that has no answer yet
 */
export function limitBodyTime(request: FastifyRequest, reply: FastifyReply, ms: number, onOver: (socket: Socket) => void): void {
  const { raw } = request;
  if (!isStillSending(raw)) return;
  const timer = setTimeout(() => {
    if (raw.complete) return;
    if (reply.raw.headersSent) raw.socket.destroy();
    else onOver(raw.socket);
  }, ms);
  const clear = (): void => {
    clearTimeout(timer);
  };
  raw.once('end', clear);
  raw.once('close', clear);
}

/** Clients that ask before they send a body are told to by `continueSending`, once their key was found good, and not by Node before. */
export function holdBack(server: Server): void {
  server.on('checkContinue', (request, response) => {
    server.emit('request', request, response);
  });
}

export function continueSending(request: FastifyRequest, reply: FastifyReply): void {
  if (/^100-continue$/i.test(request.headers.expect ?? '')) reply.raw.writeContinue();
}
