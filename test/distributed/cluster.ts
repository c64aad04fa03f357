import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFileKeyRing } from '@counterfoil/ledger';
import { Http } from '../demo/agent.js';
import type { EventStoreMethods } from './event-store.child.js';
import { PROJECTORS, SERVERS, STREAM_PREFIX, type Member, type ProjectorName, type ServerName } from './members.js';
import type { MongoMethods } from './mongo.child.js';
import { startApp, type AppProcess } from './processes.js';
import { startRemote, type RemoteProcess } from './remote.js';

/** Two servers and two projectors as processes, over an EventStoreDB and a MongoDB, each behind connections of its own. */
export interface Cluster {
  readonly directory: string;
  readonly database: string;
  readonly adminKey: string;
  readonly eventStore: RemoteProcess<EventStoreMethods>['call'];
  readonly mongo: RemoteProcess<MongoMethods>['call'];
  readonly servers: ReadonlyMap<ServerName, AppProcess>;
  /** As they run now: one that was killed is replaced by its successor. */
  readonly projectors: Map<ProjectorName, AppProcess>;
  server(name: ServerName): AppProcess;
  projector(name: ProjectorName): AppProcess;
  startProjector(name: ProjectorName): Promise<void>;
  /** A client of a server with the first admin's key. */
  admin(name: ServerName): Http;
  /** What a process of this ledger is told of its stores, by a member's connections. */
  environment(member: Member): Promise<Readonly<Record<string, string>>>;
  stop(): Promise<void>;
}

/**
 * Starts a whole distributed ledger; its keys, made before, in a directory that all of it shares.
 * @param mongoUrl of the MongoDB that the proxies stand before
 * @param keys copied from there instead of made, so that two ledgers have the same
 */
export async function startCluster(mongoUrl: string, prepare: (keysDirectory: string) => void = makeKeys): Promise<Cluster> {
  const directory = mkdtempSync(join(tmpdir(), 'counterfoil-distributed-'));
  const database = `counterfoil_run_${randomBytes(6).toString('hex')}`;
  prepare(join(directory, 'keys'));
  const eventStore = await startRemote<EventStoreMethods>('event-store.child.ts');
  const mongo = await startRemote<MongoMethods>('mongo.child.ts', [mongoUrl]);
  const environment = async (member: Member): Promise<Readonly<Record<string, string>>> => ({
    COUNTERFOIL_EVENTS: await eventStore.call.connectionString(member),
    COUNTERFOIL_READ_MODELS: await mongo.call.url(member, database),
    COUNTERFOIL_STREAM_PREFIX: STREAM_PREFIX,
    COUNTERFOIL_LOG: 'info',
  });
  const servers = new Map<ServerName, AppProcess>();
  const projectors = new Map<ProjectorName, AppProcess>();
  const startProjector = async (name: ProjectorName): Promise<void> => {
    projectors.set(name, await startApp('projector', directory, await environment(name)));
  };
  const stop = async (): Promise<void> => {
    await Promise.all([...projectors.values(), ...servers.values()].map((one) => ended(one)));
    await Promise.all([eventStore.stop(), mongo.stop()]);
    rmSync(directory, { recursive: true, force: true });
  };
  try {
    // One after the other: the first makes the first admin's key.
    for (const name of SERVERS) servers.set(name, await startApp('server', directory, await environment(name)));
    await Promise.all(PROJECTORS.map(startProjector));
  } catch (error) {
    await stop();
    throw error;
  }
  const adminKey = readFileSync(join(directory, 'keys', 'admin.key'), 'utf8').trim();
  const server = (name: ServerName): AppProcess => existing(servers.get(name));
  return {
    directory,
    database,
    adminKey,
    eventStore: eventStore.call,
    mongo: mongo.call,
    servers,
    projectors,
    server,
    projector: (name) => existing(projectors.get(name)),
    startProjector,
    admin: (name) => new Http(server(name).url, adminKey),
    environment,
    stop,
  };
}

function makeKeys(keysDirectory: string): void {
  openFileKeyRing(keysDirectory, { create: true });
}

/** One that was stopped goes on first, since it hears of nothing else. */
async function ended(app: AppProcess): Promise<void> {
  if (app.exit() !== null) return;
  app.signal('SIGCONT');
  const timer = setTimeout(() => {
    app.signal('SIGKILL');
  }, 15_000);
  await app.end('SIGTERM');
  clearTimeout(timer);
}

function existing<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('it is not there');
  return value;
}
