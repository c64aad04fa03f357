import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { admitArguments } from '@counterfoil/canonical';
import { inFile, openLedger, type CommandOrigin, type Ledger } from '@counterfoil/ledger';
import { receiptIdOf, type RequestToolCall } from '@counterfoil/session';

/** A ledger in a directory of its own, gone after the task. */
export async function withBenchLedger<T>(task: (ledger: Ledger, file: string) => Promise<T>): Promise<T> {
  const directory = mkdtempSync(join(tmpdir(), 'counterfoil-bench-'));
  const file = join(directory, 'counterfoil.db');
  const ledger = await openLedger({ ...inFile(file), keysDirectory: join(directory, 'keys') }, { createKeys: true });
  try {
    return await task(ledger, file);
  } finally {
    await ledger.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

const ORIGIN: CommandOrigin = {
  actor: { principal: 'agent:bench', keyId: 'bench' },
  roles: [],
  occurredAt: null,
  correlationId: null,
  traceparent: null,
};
const anybody = (): void => undefined;

export async function openSession(ledger: Ledger, sessionId: string): Promise<void> {
  const open = {
    type: 'OpenSession',
    workspaceId: 'default',
    sessionId,
    userId: 'u',
    agent: null,
    parent: null,
    parentRootSessionId: null,
  } as const;
  await ledger.sessions.handle({ workspaceId: 'default', sessionId }, open, ORIGIN, anybody, () => null);
}

/** One whole call: three commands, three events of about 1 KB. */
export async function oneCall(ledger: Ledger, sessionId: string, n: number): Promise<void> {
  const ref = { workspaceId: 'default', sessionId };
  const request: RequestToolCall = {
    type: 'RequestToolCall',
    callId: `call_${String(n)}`,
    callIdSource: 'native',
    turn: String(Math.floor(n / 4)),
    tool: { source: 'builtin', name: 'read_file', declared: null },
    arguments: admitArguments(JSON.stringify({ path: `src/file-${String(n)}.ts`, lines: [1, 200] })),
    taskId: null,
    requireApproval: false,
    approvalExpiresSeconds: 900,
  };
  const asked = await ledger.sessions.handle(ref, request, ORIGIN, anybody, () => receiptIdOf(ref, request));
  const receiptId = receiptIdOf(ref, request);
  const attempt = randomUUID();
  const operationId = asked.call?.operationId ?? '';
  const dispatch = { type: 'DispatchToolCall', receiptId, attempt, named: { operationId }, before: null, leaseSeconds: 60 } as const;
  await ledger.sessions.handle(ref, dispatch, ORIGIN, anybody, () => null);
  const outcome = { status: 'succeeded', exitCode: 0, signal: null, isError: null, error: null } as const;
  const output = { kind: 'json', text: JSON.stringify(`line of text ${String(n)}\n`.repeat(20)) } as const;
  const result = {
    type: 'ReportResult',
    receiptId,
    attempt,
    outcome,
    output,
    observation: null,
    startedAt: null,
    completedAt: null,
  } as const;
  await ledger.sessions.handle(ref, result, ORIGIN, anybody, () => null);
}

/** `calls` calls in each of `sessions` sessions, all sessions at once. */
export async function fill(ledger: Ledger, sessions: number, calls: number): Promise<void> {
  await Promise.all(
    Array.from({ length: sessions }, async (_, s) => {
      const sessionId = `s-${String(s)}`;
      await openSession(ledger, sessionId);
      for (let n = 0; n < calls; n++) await oneCall(ledger, sessionId, n);
    }),
  );
}

/** Seconds that a task takes. */
export async function seconds(task: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await task();
  return (performance.now() - started) / 1000;
}

export const percent = (part: number, whole: number): string => `${((100 * part) / whole).toFixed(0)} %`;
export const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(0)} MB`;
