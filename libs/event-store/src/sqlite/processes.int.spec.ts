import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { CURRENT_VERSIONS } from '@counterfoil/contracts';
import type { RecordedEvent } from '@counterfoil/contracts';
import { collect, temporaryDirectory, textEvent } from '@counterfoil/testing';
import { UpcastingRegistry } from '../upcasting/registry.js';
import { LEDGER_STEPS } from '../upcasting/steps/index.js';
import { verifyStore } from '../verify.js';
import { openSqliteEventStore } from './store.js';
import type { SqliteEventStore } from './store.js';

const registry = new UpcastingRegistry({ types: CURRENT_VERSIONS, steps: LEDGER_STEPS });
const at = temporaryDirectory();
const root = join(import.meta.dirname, '../../../..');
const stores: SqliteEventStore[] = [];
const children: ChildProcess[] = [];

async function openStore(): Promise<SqliteEventStore> {
  const store = await openSqliteEventStore({ file: at('events.db'), registry, pollMs: 20 });
  stores.push(store);
  return store;
}

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await Promise.all(stores.splice(0).map((store) => store.close()));
});

interface Child<T> {
  /** Lines so far, each one JSON value. */
  readonly lines: T[];
  /** Resolves after so many lines. */
  printed(count: number): Promise<void>;
  /** Resolves at the end, with exit code or signal, when all lines were read. */
  readonly ended: Promise<unknown>;
  kill(): void;
}

/** @param shell runs first, in the same process: for limits */
function run<T>(script: string, args: readonly string[], shell = ':'): Child<T> {
  const command = `${shell}; exec "$0" "$@"`;
  const child = spawn('sh', ['-c', command, process.execPath, '--import', 'tsx', join(import.meta.dirname, script), ...args], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  children.push(child);
  const lines: T[] = [];
  const waiting: (() => void)[] = [];
  const reader = createInterface(child.stdout);
  reader.on('line', (line) => {
    lines.push(JSON.parse(line) as T);
    for (const wake of waiting) wake();
  });
  const ended = Promise.all([once(child, 'exit'), once(reader, 'close')]).then(([[code, signal]]) => (code ?? signal) as unknown);
  const printed = (count: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const check = (): void => {
        if (lines.length >= count) resolve();
      };
      waiting.push(check);
      check();
      void ended.then((end) => reject(new Error(`the child ended with ${String(end)} after ${lines.length} lines`)));
    });
  return { lines, printed, ended, kill: () => child.kill('SIGKILL') };
}

interface Ack {
  readonly stream: string;
  readonly revision: string;
  readonly position: string;
  readonly id: string;
}

const ackOf = ({ stream, revision, position, id }: RecordedEvent): Ack => ({
  stream,
  revision: String(revision),
  position: String(position),
  id,
});
const byPosition = (a: Ack, b: Ack): number => Number(a.position) - Number(b.position);

describe('several processes', () => {
  it('append to one file while another reads: every event once, in order, none passed over', async () => {
    const store = await openStore();
    const writers = ['left', 'right'].map((name) => run<Ack>('writer.child.ts', [at('events.db'), name, '8', '30']));
    const seen: RecordedEvent[] = [];
    const abort = new AbortController();
    for await (const batch of store.subscribeAll({ after: null, batchSize: 50, signal: abort.signal })) {
      seen.push(...batch.events);
      if (seen.length >= 480) abort.abort();
    }
    expect(await Promise.all(writers.map((writer) => writer.ended))).toEqual([0, 0]);
    expect(seen.map((event) => event.position)).toEqual(Array.from({ length: 480 }, (_, index) => BigInt(index + 1)));
    expect(seen.map(ackOf)).toEqual(writers.flatMap((writer) => writer.lines).sort(byPosition));
    expect((await verifyStore(store)).ok).toBe(true);
  }, 30_000);

  it('wake a listener here when they append', async () => {
    const store = await openStore();
    const heard = new Promise<bigint>((resolve) => store.onAppended(resolve));
    const writer = run<Ack>('writer.child.ts', [at('events.db'), 'other', '1', '1']);
    expect(await heard).toBe(1n);
    expect(await writer.ended).toBe(0);
  }, 30_000);
});

describe('a process that is killed while it writes', () => {
  it('loses no append that it has acknowledged, and leaves a whole chain', async () => {
    const writers = ['left', 'right'].map((name) => run<Ack>('writer.child.ts', [at('events.db'), name, '16', '100000']));
    await Promise.all(writers.map((writer) => writer.printed(150)));
    for (const writer of writers) writer.kill();
    expect(await Promise.all(writers.map((writer) => writer.ended))).toEqual(['SIGKILL', 'SIGKILL']);
    const store = await openStore();
    const stored = new Map((await collect(store.readAll(null))).flatMap((batch) => batch.events).map((event) => [event.id, ackOf(event)]));
    const acknowledged = writers.flatMap((writer) => writer.lines);
    expect(acknowledged.length).toBeGreaterThanOrEqual(300);
    expect(acknowledged.filter((ack) => stored.get(ack.id) === undefined)).toEqual([]);
    expect(acknowledged.map((ack) => stored.get(ack.id))).toEqual(acknowledged);
    expect(await verifyStore(store)).toMatchObject({ ok: true, events: stored.size });
    const next = await store.append({ stream: 'after', expected: 'no_stream', events: [textEvent('goes on')] });
    expect(next.position).toBe(BigInt(stored.size + 1));
  }, 30_000);
});

describe('a commit that fails in the middle', () => {
  it('is an unknown outcome; sending the append again settles it', async () => {
    interface Line {
      readonly stream: string;
      readonly id: string;
      readonly code: string | null;
    }
    // 1200 blocks of 512 bytes: the write-ahead log gets no longer.
    const child = run<Line>('limited.child.ts', [at('events.db')], 'ulimit -f 1200');
    expect(await child.ended).toBe(0);
    const failed = child.lines.filter((line) => line.code !== null);
    expect(failed.map((line) => line.code)).toEqual(['outcome_unknown', 'outcome_unknown']);
    const store = await openStore();
    const stored = (await collect(store.readStored(null))).map((event) => event.id);
    const acknowledged = child.lines.filter((line) => line.code === null).map((line) => line.id);
    expect(stored.filter((id) => acknowledged.includes(id))).toEqual(acknowledged);
    for (const { stream, id } of failed) {
      const again = await store.append({ stream, expected: 'no_stream', events: [{ ...textEvent('again'), id }] });
      expect(again).toMatchObject({ revision: 0n, repeated: stored.includes(id) });
    }
    expect(await verifyStore(store)).toMatchObject({ ok: true, events: acknowledged.length + 2 });
  }, 30_000);
});

describe('a process that has nothing more to do', () => {
  it('ends by itself: no timer and no listener keeps it', async () => {
    const child = run<unknown>('idle.child.ts', [at('events.db')]);
    expect(await child.ended).toBe(0);
    expect(child.lines).toEqual([true, 'done']);
  }, 30_000);
});
