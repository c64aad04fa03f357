import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { answeredIdOf, commandOf, MessageSplitter, requestIdOf } from './wire-messages.js';

/**
 * What happens to a request. `lose`: the connection breaks before the server gets it. `lose_answer`: it breaks after the server has done
 * it. `stall`: no answer ever comes. `hold`: it waits in the proxy until `release`, though its sender may be gone by then.
 */
export type WireFate = 'pass' | 'lose' | 'lose_answer' | 'stall' | 'hold';

/** Stands between the driver and one MongoDB-wire server, over real sockets, and does to requests what the test says. */
export class WireProxy {
  private readonly links = new Set<Link>();
  private decide: (command: string) => WireFate = () => 'pass';

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
  ) {
    server.on('connection', (client) => {
      const upstream = connect(Number(this.target.port), this.target.hostname);
      const link = new Link(client, upstream, (command) => this.decide(command));
      this.links.add(link);
      void link.closed.then(() => this.links.delete(link));
    });
  }

  static async start(url: string): Promise<WireProxy> {
    const server = createServer();
    const proxy = new WireProxy(server, new URL(url));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `mongodb://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  /** Decides what becomes of each request from now on, by its command; empty for the driver's handshake. */
  onCommand(decide: (command: string) => WireFate): void {
    this.decide = decide;
  }

  /** Does this to the next request of this command, and lets all others pass. Resolves when it has come. */
  next(command: string, fate: WireFate): Promise<void> {
    return new Promise((resolve) => {
      let isDone = false;
      this.decide = (coming) => {
        if (isDone || coming !== command) return 'pass';
        isDone = true;
        resolve();
        return fate;
      };
    });
  }

  /** Breaks all connections; new ones are taken. */
  cut(): void {
    for (const link of this.links) link.cut();
  }

  /** Sends on what was held, in order. Resolves when the server has answered it all, whoever still listens. */
  async release(): Promise<void> {
    for (const link of this.links) await link.release();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

/** One connection of the driver, and the one to the server that belongs to it. */
class Link {
  /** Resolves when both connections are closed. */
  readonly closed: Promise<unknown>;
  private readonly answersToLose = new Set<number>();
  private readonly waiting = new Map<number, () => void>();
  private held: Buffer[] = [];

  constructor(
    private readonly client: Socket,
    private readonly upstream: Socket,
    private readonly decide: (command: string) => WireFate,
  ) {
    this.closed = Promise.all([client, upstream].map((socket) => new Promise((resolve) => socket.once('close', resolve))));
    for (const socket of [client, upstream]) socket.on('error', () => undefined);
    // What is held is still to be sent when its sender has given up.
    client.once('close', () => this.held.length > 0 || upstream.destroy());
    upstream.once('close', () => client.destroy());
    const [requests, answers] = [new MessageSplitter(), new MessageSplitter()];
    client.on('data', (bytes) => {
      for (const message of requests.push(bytes)) this.request(message);
    });
    upstream.on('data', (bytes) => {
      for (const message of answers.push(bytes)) this.answer(message);
    });
  }

  cut(): void {
    this.held = [];
    this.client.destroy();
    this.upstream.destroy();
  }

  async release(): Promise<void> {
    for (const message of this.held.splice(0)) {
      await new Promise<void>((resolve) => {
        this.waiting.set(requestIdOf(message), resolve);
        this.upstream.write(message);
      });
    }
    if (this.client.destroyed) this.upstream.destroy();
  }

  private request(message: Buffer): void {
    const fate = this.decide(commandOf(message));
    if (fate === 'lose') this.cut();
    else if (fate === 'hold') this.held.push(message);
    else if (fate !== 'stall') {
      if (fate === 'lose_answer') this.answersToLose.add(requestIdOf(message));
      this.upstream.write(message);
    }
  }

  private answer(message: Buffer): void {
    const id = answeredIdOf(message);
    this.waiting.get(id)?.();
    if (this.answersToLose.has(id)) this.cut();
    else if (!this.client.destroyed) this.client.write(message);
  }
}
