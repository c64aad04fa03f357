import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CallAnswer } from '../demo/agent.js';
import { RefusedError, type Sender } from './sender.js';

/** A command that was answered with success, as the event that must be in its session's stream. */
export interface Acknowledged {
  readonly sessionId: string;
  readonly type: 'SessionOpened' | 'ToolCallRequested' | 'ToolDispatched' | 'ToolExecuted';
  /** Null of the session's own. */
  readonly receiptId: string | null;
  /** Of a dispatch or a result. */
  readonly attempt: string | null;
  /** Of the session when it was answered: the event is not after it. */
  readonly revision: bigint;
}

export interface CallersOptions {
  readonly calls: number;
  readonly sessions: number;
  readonly atOnce: number;
  /** They are spread over so much time at least. */
  readonly seconds: number;
}

type Answer = CallAnswer & { readonly revision: string };

const OUTCOMES = [
  { status: 'succeeded' },
  { status: 'succeeded', exitCode: 0 },
  { status: 'failed', exitCode: 1, error: { code: 'exit', message: 'it failed' } },
  { status: 'timed_out' },
  { status: 'interrupted' },
] as const;

const LEASE_SECONDS = 3600;

/** Runs tool calls through all servers, the steps of each through another one, onto sessions that they share. */
export class Callers {
  readonly acknowledged: Acknowledged[] = [];
  readonly faults: string[] = [];
  /** Calls that were acknowledged to their end. */
  done = 0;
  /** The newest answer of a call that has ended, for who wants to read it. */
  latest: { readonly receiptId: string; readonly status: string; readonly position: string; readonly revision: bigint } | null = null;

  private readonly awaited: { readonly calls: number; readonly resolve: () => void }[] = [];
  private hasEnded = false;
  private isAwaited = true;

  constructor(
    private readonly sender: Sender,
    private readonly options: CallersOptions,
  ) {}

  /** Resolves when so great a part of the calls is done, or no more are made. */
  reached(part: number): Promise<void> {
    return new Promise((resolve) => {
      this.awaited.push({ calls: part * this.options.calls, resolve });
      this.tell();
    });
  }

  /** No more calls are made than were wanted. Until then they go on, so that what is to happen meanwhile does. */
  mayEnd(): void {
    this.isAwaited = false;
  }

  private tell(): void {
    for (const { calls, resolve } of this.awaited) if (this.hasEnded || this.done >= calls) resolve();
  }

  async run(): Promise<void> {
    const { calls, sessions, atOnce, seconds } = this.options;
    await Promise.all(Array.from({ length: sessions }, (_, n) => this.open(n)));
    const startedAt = performance.now();
    let next = 0;
    const work = async (): Promise<void> => {
      for (let n = next++; (n < calls || this.isAwaited) && this.faults.length === 0; n = next++) {
        const early = startedAt + (n / calls) * seconds * 1000 - performance.now();
        if (early > 0) await sleep(early);
        await this.call(n);
      }
    };
    await Promise.all(Array.from({ length: atOnce }, () => this.bearing(work)));
    this.hasEnded = true;
    this.tell();
  }

  private open(n: number): Promise<void> {
    return this.bearing(async () => {
      const sessionId = this.sessionOf(n);
      const { body } = await this.sender.command<{ revision: string }>(n, '/v1/sessions', { sessionId, agent: 'distributed' });
      this.acknowledged.push({ sessionId, type: 'SessionOpened', receiptId: null, attempt: null, revision: BigInt(body.revision) });
    });
  }

  private sessionOf(n: number): string {
    return `shared-${String(n % this.options.sessions)}`;
  }

  private async call(n: number): Promise<void> {
    const sessionId = this.sessionOf(n);
    const path = `/v1/sessions/${sessionId}/tool-calls`;
    const note = (type: Acknowledged['type'], answer: Answer, attempt: string | null): Answer => {
      const { receiptId } = answer.call;
      this.acknowledged.push({ sessionId, type, receiptId, attempt, revision: BigInt(answer.revision) });
      return answer;
    };
    const tool = { source: 'builtin', name: 'read_file' };
    const request = { callId: `call_${String(n)}`, turn: `turn-${String(n)}`, tool, arguments: { path: `f${String(n)}`, n } };
    const { call } = note('ToolCallRequested', await this.send(n, path, request), null);
    const attempt = randomUUID();
    const dispatch = { attempt, operationId: call.operationId, leaseSeconds: LEASE_SECONDS };
    note('ToolDispatched', await this.send(n + 1, `${path}/${call.receiptId}/dispatch`, dispatch), attempt);
    const result = { attempt, outcome: OUTCOMES[n % OUTCOMES.length], output: `output ${String(n)} ${'x'.repeat(n % 300)}` };
    const ended = note('ToolExecuted', await this.send(n, `${path}/${call.receiptId}/result`, result), attempt);
    this.latest = { receiptId: call.receiptId, status: ended.call.status, position: ended.position, revision: BigInt(ended.revision) };
    this.done++;
    this.tell();
  }

  private async send(server: number, path: string, body: unknown): Promise<Answer> {
    return (await this.sender.command<Answer>(server, path, body)).body;
  }

  private async bearing(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof RefusedError)) throw error;
      this.faults.push(error.message);
    }
  }
}
