import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { admitArguments } from '@counterfoil/canonical';
import type { EventStore } from '@counterfoil/event-store';
import { receiptIdOf, type Call, type RequestToolCall, type SessionCommand } from '@counterfoil/session';
import type { Ledger } from '../ledger.js';
import { openLedger } from '../open-ledger.js';
import { inFile } from '../stores/locations.js';
import { SessionRepository, type CommandOrigin, type SessionAnswer } from '../sessions/session-repository.js';

export const REF = { workspaceId: 'default', sessionId: 's1' };
export const AGENT = 'agent:a';
export const APPROVER = 'person:approver';

/** Ledgers over the files of one directory, each as a process of its own has it, under one clock. */
export interface TestLedger {
  readonly directory: string;
  /** Milliseconds since the epoch for every ledger opened here; it stands still until it is set. */
  now: number;
  /** Opens the ledger once more, as another process does, or the next one after a crash. */
  open(): Promise<Ledger>;
  /** Closes what is open and removes the files. */
  dispose(): Promise<void>;
}

export async function testLedger(): Promise<TestLedger> {
  const directory = await mkdtemp(join(tmpdir(), 'counterfoil-ledger-'));
  const file = join(directory, 'counterfoil.db');
  const settings = { ...inFile(file), keysDirectory: join(directory, 'keys') };
  const opened: Ledger[] = [];
  const test: TestLedger = {
    directory,
    now: Date.UTC(2027, 0, 1),
    open: async () => {
      const ledger = await openLedger(settings, { createKeys: true, now: () => test.now });
      opened.push(ledger);
      return ledger;
    },
    dispose: async () => {
      await Promise.all(opened.map((ledger) => ledger.close()));
      await rm(directory, { recursive: true, force: true });
    },
  };
  return test;
}

export const origin = (principal: string): CommandOrigin => ({
  actor: { principal, keyId: 'test' },
  roles: [],
  occurredAt: null,
  correlationId: null,
  traceparent: null,
});

/** What a command answers, about the call that it names. @throws DomainError */
export async function send(
  { sessions }: Pick<Ledger, 'sessions'>,
  command: SessionCommand,
  principal = AGENT,
  ref = REF,
): Promise<SessionAnswer> {
  const receiptId = command.type === 'RequestToolCall' ? receiptIdOf(ref, command) : 'receiptId' in command ? command.receiptId : null;
  return sessions.handle(ref, command, origin(principal), anybody, () => receiptId);
}

/** The newest state of a call. */
export async function readCall({ sessions }: Pick<Ledger, 'sessions'>, receiptId: string, ref = REF): Promise<Call | null> {
  return (await sessions.read(ref, anybody, () => receiptId)).call;
}

const anybody = (): void => undefined;

/** A ledger's session repository over another store, which for example loses answers. */
export const repositoryOver = ({ keys, tools }: Ledger, store: EventStore): Pick<Ledger, 'sessions'> => ({
  sessions: new SessionRepository({ store, keys, tools }),
});

export const openSession = (ref = REF): SessionCommand => ({
  type: 'OpenSession',
  ...ref,
  userId: 'u1',
  agent: null,
  parent: null,
  parentRootSessionId: null,
});

export const request = (callId: string, args: unknown, more: Partial<RequestToolCall> = {}): RequestToolCall => ({
  type: 'RequestToolCall',
  callId,
  callIdSource: 'native',
  turn: 'turn-1',
  tool: { source: 'builtin', name: 'write', declared: null },
  arguments: admitArguments(typeof args === 'string' ? args : JSON.stringify(args)),
  taskId: null,
  requireApproval: false,
  approvalExpiresSeconds: 60,
  ...more,
});

export const dispatch = (call: Pick<Call, 'receiptId' | 'operationId'>, attempt: string = randomUUID()): SessionCommand => ({
  type: 'DispatchToolCall',
  receiptId: call.receiptId,
  attempt,
  named: { operationId: call.operationId ?? '' },
  before: null,
  leaseSeconds: 60,
});

/** A grant, as it was shown, or a denial of a call that waits for one. */
export function decision(
  type: 'GrantApproval' | 'DenyApproval',
  { approval, operationId }: Pick<Call, 'approval' | 'operationId'>,
): SessionCommand {
  const said = { approvalId: approval?.approvalId ?? '', operationId: operationId ?? '', note: null };
  return type === 'GrantApproval' ? { type, ...said, amended: null } : { type, ...said };
}

export const report = (
  receiptId: string,
  attempt: string,
  status: 'succeeded' | 'failed' | 'timed_out' | 'interrupted' | 'cancelled' = 'succeeded',
): SessionCommand => ({
  type: 'ReportResult',
  receiptId,
  attempt,
  outcome: { status, exitCode: null, signal: null, isError: null, error: null },
  output: { kind: 'text', text: status },
  observation: null,
  startedAt: null,
  completedAt: null,
});

/** The call of an answer that has one. */
export function callOf({ call }: SessionAnswer): Call {
  if (call === null) throw new TypeError('the answer has no call');
  return call;
}
