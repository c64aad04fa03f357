import { connect, type AddressInfo, type Socket } from 'node:net';
import { createServer, type Server } from 'node:tls';
import type { TestCertificate } from './certificate.js';

/** Ends TLS in front of a plain server on 127.0.0.1, as a real one ends it by itself. */
export class TlsFront {
  private readonly sockets = new Set<Socket>();
  /** Connections that spoke TLS to the end of the handshake. */
  handshakes = 0;

  private constructor(private readonly server: Server) {}

  /** @param protocols what the server speaks inside of TLS, by ALPN; none for protocols that know no ALPN */
  static async start(port: number, { key, certificate }: TestCertificate, protocols: readonly string[] = []): Promise<TlsFront> {
    const server = createServer({ key, cert: certificate, ...(protocols.length === 0 ? {} : { ALPNProtocols: [...protocols] }) });
    const front = new TlsFront(server);
    server.on('secureConnection', (client) => {
      front.handshakes++;
      front.join(client, connect(port, '127.0.0.1'));
    });
    server.on('tlsClientError', () => undefined);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return front;
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private join(client: Socket, upstream: Socket): void {
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      this.sockets.add(one);
      one.on('error', () => undefined);
      one.once('close', () => {
        this.sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  }
}
