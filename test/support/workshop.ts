import type { ReceiptDocument, ToolSpec } from '@counterfoil/contracts';
import { Agent, type CallAnswer, type Http, type Outcome } from '../demo/agent.js';
import { startLedger, type RunningLedger } from './running-ledger.js';

export interface ToolAnswer {
  readonly tool: ToolSpec;
  readonly revision: string;
  readonly position: string;
}

export const spec = (name: string, more: Record<string, unknown> = {}): Record<string, unknown> => ({ source: 'builtin', name, ...more });

/** A ledger with one session, in which an agent uses tools that an admin registers. */
export class Workshop {
  private turns = 0;

  private constructor(
    readonly running: RunningLedger,
    readonly http: Http,
    readonly agent: Agent,
  ) {}

  static async open(): Promise<Workshop> {
    const running = await startLedger();
    const http = await running.client('agent:a', ['agent']);
    const agent = new Agent(http, 's1');
    await agent.open();
    return new Workshop(running, http, agent);
  }

  async register(name: string, more: Record<string, unknown> = {}): Promise<ToolAnswer> {
    return this.running.admin.call('POST', '/v1/tools', spec(name, more));
  }

  /** A request in a turn of its own. */
  async ask(name: string, args: unknown = {}, more: Record<string, unknown> = {}): Promise<CallAnswer> {
    return this.agent.request(`t${String(this.turns++)}`, 'c', name, args, more);
  }

  async run(name: string, args: unknown, outcome: Outcome): Promise<CallAnswer> {
    const asked = await this.ask(name, args);
    const { attempt } = await this.agent.dispatch(asked);
    return this.agent.report(asked, attempt, outcome, 'text');
  }

  async receipt({ call, position }: CallAnswer): Promise<ReceiptDocument> {
    return this.http.call('GET', `/v1/receipts/${call.receiptId}`, undefined, { 'counterfoil-min-position': position });
  }

  /** A request (of an admin, unless told otherwise) that adds nothing. */
  async idle(method: string, path: string, body: unknown, by = this.running.admin): Promise<{ status: number; body: unknown }> {
    const before = await this.running.events();
    const answer = await by.raw(method, path, JSON.stringify(body));
    expect(await this.running.events()).toBe(before);
    return answer;
  }
}
