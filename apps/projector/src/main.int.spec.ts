import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeFirstKey, inFile, openLedger, type Ledger } from '@counterfoil/ledger';
import { eventually } from '@counterfoil/testing';

const MAIN = fileURLToPath(new URL('main.ts', import.meta.url));

/** The program, over a ledger that a server has started. */
describe('the projector as a process', () => {
  let directory: string;
  let ledger: Ledger;
  let children: ChildProcess[];

  beforeEach(async () => {
    directory = await mkdtemp(path.join(tmpdir(), 'counterfoil-projector-'));
    ledger = await openLedger(settings(), { createKeys: true });
    await makeFirstKey(ledger.access, settings().keysDirectory);
    children = [];
  });
  afterEach(async () => {
    for (const child of children) if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL');
    await ledger.close();
    await rm(directory, { recursive: true, force: true });
  });

  const file = (): string => path.join(directory, 'counterfoil.db');
  const settings = () => ({ ...inFile(file()), keysDirectory: path.join(directory, 'keys') });

  function startProcess(more: Readonly<Record<string, string>> = {}): {
    readonly child: ChildProcess;
    readonly output: () => string;
    readonly ended: Promise<unknown[]>;
  } {
    const child = spawn(process.execPath, ['--import', 'tsx', MAIN], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: {
        ...process.env,
        NODE_OPTIONS: '',
        COUNTERFOIL_EVENTS: `sqlite:${file()}`,
        COUNTERFOIL_READ_MODELS: `sqlite:${file()}`,
        COUNTERFOIL_KEYS: settings().keysDirectory,
        COUNTERFOIL_HOST: '127.0.0.1',
        COUNTERFOIL_PORT: '0',
        ...more,
      },
    });
    children.push(child);
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
    return { child, output: () => output, ended: once(child, 'close') };
  }

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'brings the read models to the head, answers, and ends with 0 at %s',
    async (signal) => {
      const { child, output, ended } = startProcess();
      const head = await ledger.store.head();
      expect(head).toBeGreaterThan(0n);
      expect((await ledger.readModels(head, 30_000)).position).toBeGreaterThanOrEqual(head);
      await eventually(() => output().includes('running at'));
      const url = /running at (http:\S+)/.exec(output())?.[1] ?? '';
      expect((await fetch(`${url}/health/ready`)).status).toBe(200);
      expect(await (await fetch(`${url}/metrics`)).text()).toContain('counterfoil_owned_partitions 1');
      expect(output()).toContain('"message":"partitions taken over"');
      child.kill(signal);
      expect(await ended).toEqual([0, null]);
      expect(output()).toContain('"message":"partitions given back"');
    },
    60_000,
  );

  it('needs no keys, and makes none: it reads what is redacted and fingerprinted already', async () => {
    const elsewhere = path.join(directory, 'elsewhere');
    const { output } = startProcess({ COUNTERFOIL_KEYS: elsewhere });
    await eventually(() => output().includes('running at'));
    expect((await ledger.readModels(await ledger.store.head(), 30_000)).position).toBeGreaterThan(0n);
    expect(existsSync(elsewhere)).toBe(false);
  }, 60_000);

  it('says which setting is wrong', async () => {
    const { output, ended } = startProcess({ COUNTERFOIL_PORT: 'none' });
    expect(await ended).toEqual([1, null]);
    expect(output()).toContain('COUNTERFOIL_PORT');
  }, 60_000);

  it('whose port is taken says so, holds no lease, and ends with 1 instead of hanging', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { child, output, ended } = startProcess({ COUNTERFOIL_PORT: String((other.address() as AddressInfo).port) });
    const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
    expect(await ended).toEqual([1, null]);
    clearTimeout(timer);
    other.close();
    expect(output()).toMatch(/^counterfoil: .*COUNTERFOIL_PORT.*EADDRINUSE.*\n$/);
    expect(await ledger.engine.status()).toMatchObject({ position: 0n });
  }, 60_000);
});
