import { createServer } from 'node:net';
import type { AddressInfo, Server as NetServer, Socket } from 'node:net';
import gossipServices from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import gossip from '@eventstore/db-client/generated/gossip_pb.js';
import type { MemberInfo } from '@eventstore/db-client/generated/gossip_pb.js';
import featuresServices from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import features from '@eventstore/db-client/generated/serverfeatures_pb.js';
import streamsServices from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { appendHandler } from './appends.js';
import { batchAppendHandler } from './batch-appends.js';
import { Faults } from './faults.js';
import type { SeenAppend, SeenRead } from './faults.js';
import { EventLog } from './log.js';
import { uuidOf } from './messages.js';
import { forUser } from './users.js';
import type { Address } from './messages.js';
import type { Generation, LiveSubscription, TestNode } from './node.js';
import { readHandler } from './reads.js';

export interface TestServerOptions {
  /** The log to serve, so that several servers can be nodes of one cluster. Default: one of its own. */
  readonly log?: EventLog;
  readonly generation?: Generation;
  readonly writeTimeoutMs?: number;
  readonly searchWindow?: number;
  readonly liveBuffer?: number;
  /** `user:password` without which every call is refused. */
  readonly credentials?: string;
  /** Whether Streams.BatchAppend is offered; servers before 21.10 don't. Default true. */
  readonly batchAppend?: boolean;
}

const HOST = '127.0.0.1';

/** A small EventStoreDB on a free port of this machine; README.md says what it does and what it doesn't. */
export class TestEventStoreDb implements TestNode {
  readonly log: EventLog;
  readonly faults = new Faults();
  readonly generation: Generation;
  readonly writeTimeoutMs: number;
  readonly searchWindow: number;
  readonly liveBuffer: number;
  readonly seenAppends: SeenAppend[] = [];
  readonly seenReads: SeenRead[] = [];
  readonly openReads = new Set<object>();
  readonly subscriptions = new Set<LiveSubscription>();
  /** How often the capabilities of the server were asked for. */
  featureRequests = 0;
  private readonly sockets = new Map<string, Socket>();
  private readonly timers = new Set<NodeJS.Timeout>();
  private running: { readonly net: NetServer; readonly rpc: Server } | null = null;
  private port = 0;
  private leaderNode: TestEventStoreDb | null = null;
  private frozenAt: number | null = null;

  private constructor(private readonly options: TestServerOptions) {
    this.log = options.log ?? new EventLog();
    this.generation = options.generation ?? '24.10';
    this.writeTimeoutMs = options.writeTimeoutMs ?? 2000;
    this.searchWindow = options.searchWindow ?? 32;
    this.liveBuffer = options.liveBuffer ?? 32;
  }

  static async start(options: TestServerOptions = {}): Promise<TestEventStoreDb> {
    const server = new TestEventStoreDb(options);
    await server.listen();
    return server;
  }

  get address(): Address {
    return { host: HOST, port: this.port };
  }

  get connectionString(): string {
    return `esdb://${HOST}:${this.port}?tls=false`;
  }

  /** Connections that are open now. */
  get connections(): number {
    return this.sockets.size;
  }

  /** Serves on the port that it had before, with the log as it is. */
  async listen(): Promise<void> {
    if (this.running !== null) return;
    const rpc = new Server({ 'grpc.max_receive_message_length': 17 * 1024 * 1024 });
    this.addServices(rpc);
    const injector = rpc.createConnectionInjector(ServerCredentials.createInsecure());
    const net = createServer((socket) => {
      this.accept(socket);
      injector.injectConnection(socket);
    });
    await new Promise<void>((resolve, reject) => {
      net.once('error', reject);
      net.listen(this.port, HOST, resolve);
    });
    this.port = (net.address() as AddressInfo).port;
    this.running = { net, rpc };
  }

  /** Ends everything, as a machine that lost its power. */
  async stop(): Promise<void> {
    const { running } = this;
    this.running = null;
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
    if (running === null) return;
    const closed = new Promise((resolve) => running.net.close(resolve));
    this.dropAll();
    running.rpc.forceShutdown();
    await closed;
  }

  /** Breaks all connections; new ones are taken. */
  dropAll(): void {
    for (const socket of this.sockets.values()) socket.destroy();
  }

  drop(call: { getPeer(): string }): void {
    this.sockets.get(call.getPeer())?.destroy();
  }

  /** The subscriptions that are open now send nothing any more, and stay open. */
  stallSubscriptions(): void {
    for (const subscription of this.subscriptions) subscription.stalled = true;
  }

  /** A store restored from an older backup: what was written from a position on is gone. A restart goes with it. */
  restoreTo(position: bigint): void {
    this.log.cutFrom(position);
    this.dropAll();
  }

  /** From now on a node of this one's cluster that has another leader; null: the leader again. */
  follow(leader: TestEventStoreDb | null): void {
    this.leaderNode = leader;
  }

  /** Reads that don't ask for the leader see nothing newer than now, as of a node that was demoted; `false` ends it. */
  freeze(frozen = true): void {
    this.frozenAt = frozen ? this.log.length : null;
  }

  leader(): Address | null {
    return this.leaderNode?.address ?? null;
  }

  visible(): number {
    return Math.min(this.frozenAt ?? Number.MAX_SAFE_INTEGER, this.log.length);
  }

  later(ms: number, work: () => void): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      work();
    }, ms);
    this.timers.add(timer);
  }

  private accept(socket: Socket): void {
    const peer = `${socket.remoteAddress ?? ''}:${socket.remotePort ?? ''}`;
    this.sockets.set(peer, socket);
    socket.on('error', () => undefined);
    socket.once('close', () => this.sockets.delete(peer));
  }

  private addServices(rpc: Server): void {
    const { batchAppend = true } = this.options;
    const { credentials } = this.options;
    rpc.addService(streamsServices.StreamsService, {
      read: forUser(credentials, readHandler(this)),
      append: forUser(credentials, appendHandler(this)),
      ...(batchAppend ? { batchAppend: forUser(credentials, batchAppendHandler(this)) } : {}),
    });
    rpc.addService(featuresServices.ServerFeaturesService, {
      getSupportedMethods: (_call: unknown, answer: (error: null, methods: unknown) => void) => {
        this.featureRequests++;
        answer(null, supportedMethods(batchAppend, this.generation));
      },
    });
    rpc.addService(gossipServices.GossipService, {
      read: (_call: unknown, answer: (error: null, cluster: unknown) => void) => {
        answer(null, clusterInfo(this.address, this.leader()));
      },
    });
  }
}

function supportedMethods(batchAppend: boolean, version: string): InstanceType<typeof features.SupportedMethods> {
  const methods = ['read', 'append', 'delete', 'tombstone', ...(batchAppend ? ['batchappend'] : [])].map((name) =>
    new features.SupportedMethod().setServiceName('event_store.client.streams.streams').setMethodName(name),
  );
  return new features.SupportedMethods().setMethodsList(methods).setEventStoreServerVersion(`${version}.0`);
}

/** This node and, where it is another, its leader. */
function clusterInfo(self: Address, leader: Address | null): InstanceType<typeof gossip.ClusterInfo> {
  const { LEADER, FOLLOWER } = gossip.MemberInfo.VNodeState;
  const members = leader === null ? [memberInfo(self, LEADER)] : [memberInfo(self, FOLLOWER), memberInfo(leader, LEADER)];
  return new gossip.ClusterInfo().setMembersList(members);
}

function memberInfo({ host, port }: Address, state: MemberInfo.VNodeState): InstanceType<typeof gossip.MemberInfo> {
  return new gossip.MemberInfo()
    .setInstanceId(uuidOf(`00000000-0000-4000-8000-${String(port).padStart(12, '0')}`))
    .setTimeStamp('0')
    .setState(state)
    .setIsAlive(true)
    .setHttpEndPoint(new gossip.EndPoint().setAddress(host).setPort(port));
}
