import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startTestEventStoreDb, type TestEventStoreDb } from '@counterfoil/testing';
import { ReplicaSetNode } from './replica-set-node.js';

const ROOT = path.resolve(import.meta.dirname, '../..');

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** Not spawnSync: what it talks to runs in this process. */
function node(file: string, args: readonly string[], env: Readonly<Record<string, string>>): Promise<Ended> {
  const child = spawn(process.execPath, [file, ...args], { cwd: ROOT, env });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, output })));
}

const READ_ONLY = ['replSetGetStatus', 'replSetGetConfig'];

describe('the programs beside the compose files', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'counterfoil-compose-'));
  const asked: { readonly url: string; readonly auth: string; readonly body: string }[] = [];
  let status = 200;
  const http = createServer((request: IncomingMessage, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      asked.push({ url: request.url ?? '', auth: request.headers.authorization ?? '', body });
      response.writeHead(status).end();
    });
  });
  let port = '';
  let events: TestEventStoreDb;

  beforeAll(async () => {
    events = await startTestEventStoreDb();
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    port = String((http.address() as AddressInfo).port);
  });
  afterAll(async () => {
    await events.stop();
    await new Promise((resolve) => http.close(resolve));
    rmSync(folder, { recursive: true });
  });
  beforeEach(() => {
    asked.length = 0;
  });

  it('healthcheck: is well while the process answers 200', async () => {
    for (const [answer, code] of [
      [200, 0],
      [503, 1],
    ] as const) {
      status = answer;
      expect(await node('docker/healthcheck.mjs', ['ready'], { COUNTERFOIL_PORT: port })).toEqual({ code, output: '' });
    }
    expect(asked.map(({ url }) => url)).toEqual(['/health/ready', '/health/ready']);
    expect((await node('docker/healthcheck.mjs', [], { COUNTERFOIL_PORT: '1' })).code).toBe(1);
  });

  it('make-keys: makes keys that only their owner may read, once', async () => {
    const keys = path.join(folder, 'keys');
    const contents = (): string[] => readdirSync(keys).map((name) => `${name} ${readFileSync(path.join(keys, name), 'utf8')}`);
    expect((await node('docker/make-keys.mjs', [], { COUNTERFOIL_KEYS: keys })).code).toBe(0);
    const before = contents();
    expect(readdirSync(keys).sort()).toEqual(['fingerprint-k1.key', 'import.key']);
    for (const name of ['.', ...readdirSync(keys)]) expect(statSync(path.join(keys, name)).mode & 0o077).toBe(0);
    expect((await node('docker/make-keys.mjs', [], { COUNTERFOIL_KEYS: keys })).code).toBe(0);
    expect(contents()).toEqual(before);
  });

  it('prepare-eventstore: makes the user and its rights, once, and leaves the rights of others alone', async () => {
    const settings = {
      EVENTSTORE_HOSTS: `${events.address.host}:${events.address.port}`,
      EVENTSTORE_USERS_HOSTS: `127.0.0.1:${port}`,
      EVENTSTORE_ADMIN_PASSWORD: 'FAKE/1',
      EVENTSTORE_PASSWORD: 'FAKE2',
    };
    const last = (stream: string): unknown => JSON.parse(Buffer.from(events.log.stream(stream)?.at(-1)?.data ?? []).toString());
    status = 201;
    expect(await node('docker/prepare-eventstore.mjs', [], settings)).toMatchObject({ code: 0 });
    const [created] = asked;
    expect(created).toMatchObject({ url: '/users/', auth: `Basic ${Buffer.from('admin:FAKE/1').toString('base64')}` });
    expect(JSON.parse(created?.body ?? '')).toMatchObject({ loginName: 'counterfoil', groups: [], password: 'FAKE2' });
    expect(last('$$$all')).toEqual({ $acl: { $r: ['$admins', 'counterfoil'] } });
    const both = ['$admins', 'counterfoil'];
    expect(last('$settings')).toMatchObject({ $userStreamAcl: { $r: both, $w: both, $d: '$admins', $mr: both, $mw: '$admins' } });
    status = 409;
    const { length } = events.log;
    expect(await node('docker/prepare-eventstore.mjs', [], settings)).toMatchObject({ code: 0 });
    expect(events.log.length).toBe(length);
    const theirs = { $userStreamAcl: { $r: '$all', $w: 'ouro', $d: 'ouro', $mr: '$all', $mw: 'ouro' } };
    const data = Buffer.from(JSON.stringify(theirs));
    events.log.write('$settings', [
      { id: crypto.randomUUID(), type: 'update-default-acl', contentType: 'application/json', data, metadata: new Uint8Array() },
    ]);
    const refused = await node('docker/prepare-eventstore.mjs', [], settings);
    expect(refused).toMatchObject({ code: 1 });
    expect(refused.output).toContain('default rights that are not ours');
    expect(refused.output).not.toContain('FAKE');
  });

  it('prepare-mongo: makes the replica set and the user, once, and leaves other members alone', async () => {
    const mongo = await ReplicaSetNode.start();
    try {
      const settings = {
        MONGO_NODE_URL: `mongodb://${mongo.host}/`,
        MONGO_REPLICA_SET: 'counterfoil',
        MONGO_MEMBERS: mongo.host,
        MONGO_PASSWORD: 'FAKE3',
      };
      expect(await node('docker/prepare-mongo.mjs', [], settings)).toMatchObject({ code: 0 });
      expect(mongo.config).toEqual({ _id: 'counterfoil', members: [{ _id: 0, host: mongo.host }] });
      const user = { db: 'counterfoil', pwd: 'FAKE3', roles: [{ role: 'readWrite', db: 'counterfoil' }] };
      expect([...mongo.users]).toEqual([['counterfoil', user]]);
      expect(mongo.commands).toEqual(['replSetGetStatus', 'replSetInitiate', 'usersInfo', 'createUser']);
      mongo.commands.length = 0;
      expect(await node('docker/prepare-mongo.mjs', [], { ...settings, MONGO_PASSWORD: '' })).toMatchObject({ code: 0 });
      expect(await node('docker/prepare-mongo.mjs', [], { ...settings, MONGO_PASSWORD: 'FAKE4' })).toMatchObject({ code: 0 });
      expect(mongo.commands).toEqual([...READ_ONLY, ...READ_ONLY, 'usersInfo']);
      const others = await node('docker/prepare-mongo.mjs', [], { ...settings, MONGO_MEMBERS: 'mongo-7:27017' });
      expect(others).toMatchObject({ code: 1 });
      expect(others.output).toContain(`has the members ${mongo.host}, and not mongo-7:27017`);
      expect(others.output).not.toContain('FAKE');
    } finally {
      await mongo.stop();
    }
  });

  it('distributed-suites: says what it needs where there is no Docker', async () => {
    const { code, output } = await node('scripts/distributed-suites.mjs', [], { PATH: folder });
    expect(code).toBe(2);
    expect(output).toContain('docker compose version');
  });
});
