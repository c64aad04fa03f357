import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { BSON } from 'mongodb';

const OP_REPLY = 1;
const OP_QUERY = 2004;
const OP_MSG = 2013;

type Command = Readonly<Record<string, unknown>>;

/**
 * A node of a MongoDB replica set, as far as it is made and given users: the answers and codes are those that MongoDB's manual lists, and
 * were not compared with a real one. It speaks the wire protocol over a socket and keeps no documents.
 */
export class ReplicaSetNode {
  /** Names of the commands that were sent, those of the connection itself left out. */
  readonly commands: string[] = [];
  readonly users = new Map<string, unknown>();
  config: { readonly _id: string; readonly members: readonly { readonly host: string }[] } | null = null;
  private readonly sockets = new Set<Socket>();

  private constructor(private readonly server: Server) {}

  static async start(): Promise<ReplicaSetNode> {
    const server = createServer();
    const node = new ReplicaSetNode(server);
    server.on('connection', (socket) => {
      node.serve(socket);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return node;
  }

  get host(): string {
    return `127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private serve(socket: Socket): void {
    let rest: Buffer = Buffer.alloc(0);
    this.sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => this.sockets.delete(socket));
    socket.on('data', (bytes: Buffer) => {
      rest = Buffer.concat([rest, bytes]);
      // Each message begins with its length.
      while (rest.length >= 16 && rest.length >= rest.readInt32LE(0)) {
        const length = rest.readInt32LE(0);
        socket.write(this.reply(rest.subarray(0, length)));
        rest = rest.subarray(length);
      }
    });
  }

  private reply(message: Buffer): Buffer {
    const isQuery = message.readInt32LE(12) === OP_QUERY;
    // Before the document: flags and the kind of section; or flags, a name that ends in a zero, and two numbers.
    const start = isQuery ? message.indexOf(0, 20) + 9 : 21;
    const answer = Buffer.from(BSON.serialize(this.answer(BSON.deserialize(message.subarray(start)))));
    const before = Buffer.alloc(16 + (isQuery ? 20 : 5));
    before.writeInt32LE(before.length + answer.length, 0);
    before.writeInt32LE(message.readInt32LE(4), 8);
    before.writeInt32LE(isQuery ? OP_REPLY : OP_MSG, 12);
    if (isQuery) before.writeInt32LE(1, 32);
    return Buffer.concat([before, answer]);
  }

  private answer(command: Command): Command {
    const [name = ''] = Object.keys(command);
    if (/^(hello|ismaster)$/i.test(name)) return this.hello();
    if (name === 'endSessions') return { ok: 1 };
    this.commands.push(name);
    if (name === 'replSetGetStatus') return this.config === null ? failure(94, 'NotYetInitialized') : { ok: 1 };
    if (name === 'replSetGetConfig') return { ok: 1, config: this.config };
    if (name === 'replSetInitiate') {
      this.config = command[name] as typeof this.config;
      return { ok: 1 };
    }
    const user = String(command[name]);
    if (name === 'usersInfo') return { ok: 1, users: this.users.has(user) ? [{ user }] : [] };
    if (name !== 'createUser') return failure(59, 'CommandNotFound');
    this.users.set(user, { db: command['$db'], pwd: command['pwd'], roles: command['roles'] });
    return { ok: 1 };
  }

  private hello(): Command {
    const limits = { maxBsonObjectSize: 16_777_216, maxMessageSizeBytes: 48_000_000, maxWriteBatchSize: 100_000 };
    const versions = { minWireVersion: 0, maxWireVersion: 25 };
    const hosts = this.config?.members.map(({ host }) => host);
    const set = hosts === undefined ? { isreplicaset: true } : { setName: this.config?._id, hosts, me: this.host, primary: hosts[0] };
    const isPrimary = hosts?.[0] === this.host;
    return { ok: 1, isWritablePrimary: isPrimary, ismaster: isPrimary, secondary: false, ...limits, ...versions, ...set };
  }
}

const failure = (code: number, codeName: string): Command => ({ ok: 0, code, codeName, errmsg: codeName });
