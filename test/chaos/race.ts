import { fork, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { admitArguments } from '@counterfoil/canonical';
import { openLedger, readSettings, type CommandOrigin, type Ledger } from '@counterfoil/ledger';
import { receiptIdOf } from '@counterfoil/session';
import { ledgerEnvironment } from '../support/server-process.js';

export interface Contest {
  readonly sessionId: string;
  readonly receiptId: string;
  readonly operationId: string;
}

export interface RaceOptions {
  readonly approvals: number;
  readonly say: (line: string) => void;
}

const CALLS_PER_SESSION = 100;
const RACERS = 2;

export const originOf = (principal: string): CommandOrigin => ({
  actor: { principal, keyId: 'chaos' },
  roles: [],
  occurredAt: null,
  correlationId: null,
  traceparent: null,
});

export const anybody = (): void => undefined;

/** Two processes dispatch the same granted calls at the same time; gives what was found to be wrong. */
export async function raceOverApprovals({ approvals, say }: RaceOptions): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), 'counterfoil-race-'));
  try {
    const ledger = await openLedger(readSettings(ledgerEnvironment(directory)), { createKeys: true });
    try {
      const contests = await grantMany(ledger, approvals);
      say(`race: ${String(contests.length)} approvals granted; ${String(RACERS)} processes dispatch them`);
      const wins = await race(directory, contests);
      say(`race: won ${wins.map(String).join(' + ')} of ${String(contests.length)}`);
      return await check(ledger, contests, wins);
    } finally {
      await ledger.close();
    }
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function grantMany(ledger: Ledger, count: number): Promise<Contest[]> {
  const sessions = Array.from({ length: Math.ceil(count / CALLS_PER_SESSION) }, (_, n) => `race-${String(n)}`);
  const all = await Promise.all(
    sessions.map(async (sessionId, n) => {
      const ref = { workspaceId: 'default', sessionId };
      const open = {
        type: 'OpenSession',
        workspaceId: 'default',
        sessionId,
        userId: 'u',
        agent: null,
        parent: null,
        parentRootSessionId: null,
      } as const;
      await ledger.sessions.handle(ref, open, originOf('agent:race'), anybody, () => null);
      const contests: Contest[] = [];
      for (let i = 0; i < Math.min(CALLS_PER_SESSION, count - n * CALLS_PER_SESSION); i++)
        contests.push(await grantOne(ledger, sessionId, i));
      return contests;
    }),
  );
  return all.flat();
}

async function grantOne(ledger: Ledger, sessionId: string, n: number): Promise<Contest> {
  const ref = { workspaceId: 'default', sessionId };
  const request = {
    type: 'RequestToolCall',
    callId: `call_${String(n)}`,
    callIdSource: 'native',
    turn: '1',
    tool: { source: 'builtin', name: 'pay', declared: null },
    arguments: admitArguments(JSON.stringify({ amount: n })),
    taskId: null,
    requireApproval: true,
    approvalExpiresSeconds: 86_400,
  } as const;
  const asked = await ledger.sessions.handle(ref, request, originOf('agent:race'), anybody, () => receiptIdOf(ref, request));
  const { call } = asked;
  if (call?.approval == null) throw new Error('the call waits for no approval');
  const { approvalId, operationId } = call.approval;
  await ledger.sessions.handle(
    ref,
    { type: 'GrantApproval', approvalId, operationId, amended: null, note: null },
    originOf('person:race'),
    anybody,
    () => null,
  );
  return { sessionId, receiptId: call.receiptId, operationId };
}

/** Starts the racers, waits until all have opened the ledger, and lets them go at once; gives how often each was let through. */
async function race(directory: string, contests: readonly Contest[]): Promise<number[]> {
  const racers = await Promise.all(Array.from({ length: RACERS }, () => startRacer(directory)));
  return Promise.all(racers.map((racer) => winsOf(racer, contests)));
}

async function startRacer(directory: string): Promise<ChildProcess> {
  const racer = fork(fileURLToPath(new URL('./racer.ts', import.meta.url)), [], {
    env: ledgerEnvironment(directory),
    execArgv: ['--import', 'tsx'],
    serialization: 'advanced',
  });
  await nextMessage(racer);
  return racer;
}

async function winsOf(racer: ChildProcess, contests: readonly Contest[]): Promise<number> {
  const wins = nextMessage(racer);
  racer.send(contests);
  return Number(await wins);
}

async function nextMessage(racer: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const ended = (code: number | null): void => {
      reject(new Error(`a racer ended with ${String(code)}`));
    };
    racer.once('exit', ended);
    racer.once('message', (message) => {
      racer.off('exit', ended);
      resolve(message);
    });
  });
}

async function check(ledger: Ledger, contests: readonly Contest[], wins: readonly number[]): Promise<string[]> {
  const faults: string[] = [];
  const dispatches = new Map<string, number>();
  for await (const { events } of ledger.store.readAll(null)) {
    for (const event of events) {
      if (event.type !== 'ToolDispatched') continue;
      const { receiptId } = event.data as { receiptId: string };
      dispatches.set(receiptId, (dispatches.get(receiptId) ?? 0) + 1);
    }
  }
  for (const { receiptId } of contests) {
    const times = dispatches.get(receiptId) ?? 0;
    if (times !== 1) faults.push(`${receiptId} was dispatched ${String(times)} times`);
  }
  const won = wins.reduce((sum, count) => sum + count, 0);
  if (won !== contests.length) faults.push(`${String(won)} dispatches were let through for ${String(contests.length)} approvals`);
  return faults;
}
