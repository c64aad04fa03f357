import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Http, type CallAnswer } from '../demo/agent.js';
import { runCli, startServerProcess, type ServerProcess } from '../support/server-process.js';

/** What a writer was told about a call: the state that an answer named. */
interface Acknowledged {
  readonly sessionId: string;
  readonly receiptId: string;
  status: string;
}

const ORDER: Readonly<Record<string, number>> = { requested: 0, dispatched: 1, succeeded: 2, unknown: 2 };

export interface KillOptions {
  readonly rounds: number;
  readonly writers: number;
  readonly say: (line: string) => void;
}

/** Kills the server with SIGKILL at a random moment of each round; gives what was found to be wrong. */
export async function killRounds({ rounds, writers, say }: KillOptions): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), 'counterfoil-kill-'));
  const acknowledged = new Map<string, Acknowledged>();
  const faults: string[] = [];
  try {
    for (let round = 1; round <= rounds; round++) {
      const server = await startServerProcess(directory, { COUNTERFOIL_LOG: 'error' });
      faults.push(...(await findLost(server, acknowledged, round)));
      const before = acknowledged.size;
      await writeUntilKilled(server, acknowledged, writers, round);
      say(
        `kill ${String(round)}/${String(rounds)}: ${String(acknowledged.size - before)} calls acknowledged, ${String(acknowledged.size)} in all`,
      );
    }
    const server = await startServerProcess(directory, { COUNTERFOIL_LOG: 'error' });
    faults.push(...(await findLost(server, acknowledged, rounds + 1)));
    await caughtUp(server);
    faults.push(...(await checkFiles(directory, say)));
    await server.end('SIGTERM');
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
  return faults;
}

async function writeUntilKilled(
  server: ServerProcess,
  acknowledged: Map<string, Acknowledged>,
  writers: number,
  round: number,
): Promise<void> {
  const stop = new AbortController();
  const agentKey = await agentKeyOf(server);
  const all = Promise.all(
    Array.from({ length: writers }, (_, n) => write(new Http(server.url, agentKey), `w${String(n)}`, round, acknowledged, stop.signal)),
  );
  await sleep(400 + Math.random() * 1200);
  await server.end('SIGKILL');
  stop.abort();
  await all;
}

async function agentKeyOf(server: ServerProcess): Promise<string> {
  const admin = new Http(server.url, server.adminKey);
  const body = { principal: 'agent:chaos', userId: 'chaos', roles: ['agent'] };
  return (await admin.call<{ secret: string }>('POST', '/v1/keys', body)).secret;
}

/** One session's writer: call after call, until the server is gone. Only what an answer said is remembered. */
async function write(
  http: Http,
  sessionId: string,
  round: number,
  acknowledged: Map<string, Acknowledged>,
  signal: AbortSignal,
): Promise<void> {
  const remember = ({ call }: CallAnswer): CallAnswer['call'] => {
    acknowledged.set(call.receiptId, { sessionId, receiptId: call.receiptId, status: call.status });
    return call;
  };
  try {
    await http.call('POST', '/v1/sessions', { sessionId });
    for (let n = 0; !signal.aborted; n++) {
      const path = `/v1/sessions/${sessionId}/tool-calls`;
      const tool = { source: 'builtin', name: 'read_file' };
      const request = { callId: `call_${String(n)}`, turn: `round-${String(round)}`, tool, arguments: { path: `f${String(n)}` } };
      const call = remember(await http.call('POST', path, request));
      const attempt = randomUUID();
      remember(
        await http.call('POST', `${path}/${call.receiptId}/dispatch`, { attempt, operationId: call.operationId, leaseSeconds: 3600 }),
      );
      remember(
        await http.call('POST', `${path}/${call.receiptId}/result`, { attempt, outcome: { status: 'succeeded' }, output: 'x'.repeat(200) }),
      );
    }
  } catch (error) {
    // The connection ends with the server; an answer that names a refusal would be a fault.
    if (error instanceof Error && / 4\d\d /.test(error.message)) throw error;
  }
}

/** Every acknowledged state must be there, or a later one. */
async function findLost(server: ServerProcess, acknowledged: ReadonlyMap<string, Acknowledged>, round: number): Promise<string[]> {
  const auditor = new Http(server.url, server.adminKey);
  const faults: string[] = [];
  const queue = [...acknowledged.values()];
  const check = async (): Promise<void> => {
    for (let one = queue.pop(); one !== undefined; one = queue.pop()) {
      const { status, body } = await auditor.raw('GET', `/v1/sessions/${one.sessionId}/tool-calls/${one.receiptId}`);
      const found = status === 200 ? (body as CallAnswer).call.status : `HTTP ${String(status)}`;
      if ((ORDER[found] ?? -1) < (ORDER[one.status] ?? 99))
        faults.push(`round ${String(round)}: ${one.receiptId} was acknowledged ${one.status} and is ${found}`);
    }
  };
  await Promise.all(Array.from({ length: 16 }, check));
  return faults;
}

async function caughtUp(server: ServerProcess): Promise<void> {
  const admin = new Http(server.url, server.adminKey);
  // A key's creation is the newest position; a query that waits for it waits for everything before.
  const { position } = await admin.call<{ position: string }>('POST', '/v1/keys', { principal: 'person:probe', roles: ['auditor'] });
  for (let n = 0; n < 30; n++) {
    const { status } = await admin.raw('GET', '/v1/receipts?limit=1', undefined, { 'counterfoil-min-position': position });
    if (status === 200) return;
  }
  throw new Error('the read models did not catch up');
}

/** The chain of every stream, and the live read models against ones rebuilt from zero: beside the running server. */
async function checkFiles(directory: string, say: (line: string) => void): Promise<string[]> {
  const faults: string[] = [];
  const verified = await runCli(directory, ['verify']);
  say(`verify: ${verified.stdout.trim()}`);
  if (verified.code !== 0) faults.push(`verify ended with ${String(verified.code)}: ${verified.stdout}${verified.stderr}`);
  const rebuilt = await runCli(directory, ['rebuild', '--compare']);
  say(`rebuild: ${rebuilt.stdout.trim()}`);
  if (rebuilt.code !== 0) faults.push(`rebuild --compare ended with ${String(rebuilt.code)}: ${rebuilt.stdout}${rebuilt.stderr}`);
  return faults;
}
