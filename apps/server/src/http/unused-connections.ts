import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Knows the connections on which no request has come yet. Node counts them as busy until their headers are overdue, so that a client which
 * only connected (browsers and pools do, ahead of need) would hold up the end of a server by a minute.
 *
 * @returns ends them, and those that are still to come
 */
export function trackUnused(server: Pick<Server, 'on'>): () => void {
  const unused = new Set<Socket>();
  let isEnding = false;
  server.on('connection', (socket: Socket) => {
    if (isEnding) {
      socket.destroy();
      return;
    }
    unused.add(socket);
    socket.once('close', () => unused.delete(socket));
  });
  server.on('request', ({ socket }: { readonly socket: Socket }) => {
    unused.delete(socket);
  });
  return () => {
    isEnding = true;
    for (const socket of unused) socket.destroy();
  };
}
