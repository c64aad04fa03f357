import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { answeredIdOf, commandOf, MessageSplitter, requestIdOf } from './wire-messages.js';

/**
 * What happens to a request. `lose`: the connection breaks before the server gets it. `lose_answer`: it breaks after the server has done
 * it. `stall`: no answer ever comes. `hold`: it waits in the proxy until `release`, though its sender may be gone by then.
 */
export type WireFate = 'pass' | 'lose' | 'lose_answer' | 'stall' | 'hold';

/** Decides what becomes of a request, by its command, which is empty for the driver's handshake, and by all of it. */
export type DecideFate = (command: string, request: Buffer) => WireFate;

/** Hears of each request that the server got, with its answer; null when the server's connection ended without one. */
export type WireObserver = (request: Buffer, answer: Buffer | null) => void;

/** Stands between the driver and one MongoDB-wire server, over real sockets, and does to requests what the test says. */
export class WireProxy {
  private readonly links = new Set<Link>();
  private decide: DecideFate = () => 'pass';

  private constructor(
    private readonly server: Server,
    private readonly target: URL,
    private readonly observe: WireObserver | null,
  ) {
    server.on('connection', (client) => {
      const upstream = connect(Number(this.target.port), this.target.hostname);
      const link = new Link(client, upstream, (command, request) => this.decide(command, request), this.observe);
      this.links.add(link);
      void link.closed.then(() => this.links.delete(link));
    });
  }

  /**
   * @param observe makes the record whole: a connection to the server then lives until all that was sent on is answered, also when the
   *   driver's was broken
   */
  static async start(url: string, observe: WireObserver | null = null): Promise<WireProxy> {
    const server = createServer();
    const proxy = new WireProxy(server, new URL(url), observe);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return proxy;
  }

  get url(): string {
    return `mongodb://127.0.0.1:${(this.server.address() as AddressInfo).port}/`;
  }

  /** Decides what becomes of each request from now on. */
  onCommand(decide: DecideFate): void {
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

  /** Connections of the driver that are open now. */
  get connections(): number {
    return this.links.size;
  }

  /** Breaks all connections; new ones are taken. What is held is lost. */
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
  /** What the server has got and not answered; kept for an observer only. */
  private readonly open = new Map<number, Buffer>();
  private held: Buffer[] = [];

  constructor(
    private readonly client: Socket,
    private readonly upstream: Socket,
    private readonly decide: DecideFate,
    private readonly observe: WireObserver | null,
  ) {
    this.closed = Promise.all([client, upstream].map((socket) => new Promise((resolve) => socket.once('close', resolve))));
    for (const socket of [client, upstream]) socket.on('error', () => undefined);
    // What is held is still to be sent when its sender has given up.
    client.once('close', () => this.endIfIdle());
    upstream.once('close', () => this.upstreamClosed());
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
    this.endIfIdle();
  }

  async release(): Promise<void> {
    for (const message of this.held.splice(0)) {
      await new Promise<void>((resolve) => {
        this.waiting.set(requestIdOf(message), resolve);
        this.send(message);
      });
    }
    if (this.client.destroyed) this.endIfIdle();
  }

  private request(message: Buffer): void {
    const fate = this.decide(commandOf(message), message);
    if (fate === 'lose') this.cut();
    else if (fate === 'hold') this.held.push(message);
    else if (fate !== 'stall') {
      if (fate === 'lose_answer') this.answersToLose.add(requestIdOf(message));
      this.send(message);
    }
  }

  private send(message: Buffer): void {
    if (this.observe !== null) this.open.set(requestIdOf(message), message);
    this.upstream.write(message);
  }

  private answer(message: Buffer): void {
    const id = answeredIdOf(message);
    const request = this.open.get(id);
    this.open.delete(id);
    if (request !== undefined) this.observe?.(request, message);
    this.waiting.get(id)?.();
    if (this.answersToLose.has(id)) this.cut();
    else if (this.client.destroyed) this.endIfIdle();
    else this.client.write(message);
  }

  private endIfIdle(): void {
    if (this.held.length === 0 && this.open.size === 0) this.upstream.destroy();
  }

  private upstreamClosed(): void {
    this.client.destroy();
    for (const request of this.open.values()) this.observe?.(request, null);
    this.open.clear();
    for (const resolve of this.waiting.values()) resolve();
  }
}
