import { randomUUID } from 'node:crypto';
import type { Receipt } from './show.js';

/** What the ledger answers to every command about a call. */
export interface CallAnswer {
  readonly call: {
    readonly receiptId: string;
    readonly status: string;
    readonly operationId: string | null;
    readonly reason: { readonly code: string } | null;
    readonly approval: { readonly approvalId: string; readonly operationId: string } | null;
  };
  readonly next: 'dispatch' | 'wait' | 'stop';
  readonly position: string;
}

export interface Refusal {
  readonly status: number;
  readonly code: string;
}

/** A key and an address are all that a client needs. */
export class Http {
  constructor(
    private readonly url: string,
    private readonly key: string,
  ) {}

  /** @throws Error with the problem's code when the ledger refuses */
  async call<T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<T> {
    const answer = await this.raw(method, path, body === undefined ? undefined : JSON.stringify(body), headers);
    if (answer.status >= 400)
      throw new Error(`${method} ${path}: ${String(answer.status)} ${(answer.body as { code?: string }).code ?? ''}`);
    return answer.body as T;
  }

  /** Sends text as it is, and gives refusals back like any other answer. */
  async raw(method: string, path: string, text?: string, headers: Record<string, string> = {}): Promise<{ status: number; body: unknown }> {
    const response = await fetch(new URL(path, this.url), {
      method,
      headers: { authorization: `Bearer ${this.key}`, ...(text === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(text === undefined ? {} : { body: text }),
    });
    const isJson = response.headers.get('content-type')?.includes('json') === true;
    return { status: response.status, body: isJson ? await response.json() : await response.text() };
  }
}

export interface Outcome {
  readonly status: 'succeeded' | 'failed' | 'timed_out' | 'interrupted' | 'cancelled';
  readonly exitCode?: number;
  readonly error?: { readonly code: string; readonly message: string };
}

/**
 * An agent as the ledger sees one: it asks before it acts, acts only after a dispatch, and reports what happened. Reading this class
 * from top to bottom shows the life of a call.
 */
export class Agent {
  constructor(
    private readonly http: Http,
    readonly sessionId: string,
  ) {}

  /** A session holds everything that belongs together: plans, tasks, calls, approvals and evidence. */
  async open(): Promise<void> {
    await this.http.call('POST', '/v1/sessions', { sessionId: this.sessionId, agent: 'demo' });
  }

  /** 1. Say what the model asked for: its call id, verbatim, in its turn (one model response). Nothing runs yet. */
  async request(turn: string, callId: string, name: string, args: unknown, more: Record<string, unknown> = {}): Promise<CallAnswer> {
    const tool = { source: 'builtin', name };
    return this.http.call('POST', `/v1/sessions/${this.sessionId}/tool-calls`, { callId, turn, tool, arguments: args, ...more });
  }

  /** 2. Ask for the permission to run it: everything is checked again. Run the tool only if the answer's status is `dispatched`. */
  async dispatch(asked: CallAnswer, leaseSeconds = 60, more: object = {}): Promise<{ answer: CallAnswer; attempt: string }> {
    const attempt = randomUUID();
    const body = { attempt, operationId: asked.call.operationId, leaseSeconds, ...more };
    const answer = await this.http.call<CallAnswer>('POST', this.path(asked, 'dispatch'), body);
    return { answer, attempt };
  }

  /** 3. Say what happened, as typed data. The words in `output` never decide anything. */
  async report(asked: CallAnswer, attempt: string, outcome: Outcome, output: unknown, more: object = {}): Promise<CallAnswer> {
    const now = new Date().toISOString();
    return this.http.call('POST', this.path(asked, 'result'), { attempt, outcome, output, startedAt: now, completedAt: now, ...more });
  }

  /** A call may wait for a person: the long-poll answers when there is something to do. */
  async wait(asked: CallAnswer, seconds: number): Promise<CallAnswer> {
    return this.http.call('GET', `${this.path(asked)}?wait=${String(seconds)}s`);
  }

  async cancel(asked: CallAnswer, reason: string): Promise<CallAnswer> {
    return this.http.call('POST', this.path(asked, 'cancel'), { reason });
  }

  /** All three steps for a call that needs nobody's approval. */
  async run(turn: string, callId: string, name: string, args: unknown, outcome: Outcome, output: unknown): Promise<CallAnswer> {
    const asked = await this.request(turn, callId, name, args);
    const { answer, attempt } = await this.dispatch(asked);
    return answer.call.status === 'dispatched' ? this.report(asked, attempt, outcome, output) : answer;
  }

  /** A command about the session's plan: plans, tasks, evidence. */
  async post(path: string, body: object): Promise<unknown> {
    return this.http.call('POST', `/v1/sessions/${this.sessionId}/${path}`, body);
  }

  /** The same, where a refusal is an answer like others. */
  async try(path: string, body: object): Promise<{ status: number; body: unknown }> {
    return this.http.raw('POST', `/v1/sessions/${this.sessionId}/${path}`, JSON.stringify(body));
  }

  /** The receipt of a call, at or after the position of what was answered. */
  async receipt(answer: CallAnswer): Promise<Receipt> {
    return this.http.call('GET', `/v1/receipts/${answer.call.receiptId}`, undefined, { 'counterfoil-min-position': answer.position });
  }

  private path(asked: CallAnswer, action?: string): string {
    const call = `/v1/sessions/${this.sessionId}/tool-calls/${asked.call.receiptId}`;
    return action === undefined ? call : `${call}/${action}`;
  }
}
