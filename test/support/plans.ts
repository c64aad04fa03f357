import type { TaskReading } from '@counterfoil/contracts';
import type { Http } from '../demo/agent.js';
import type { RunningLedger } from './running-ledger.js';

/** What commands about plans, tasks and evidence answer, as far as specs look at it. */
export interface StateAnswer {
  readonly plan: { readonly planId: string; readonly state: string; readonly tasks: readonly { taskId: string; status: string }[] };
  readonly task: { readonly planId: string; readonly taskId: string; readonly status: string; readonly criteria: readonly object[] };
  readonly evidence: { readonly evidenceId: string; readonly kind: string; readonly stale: boolean };
  readonly revision: string;
  readonly position: string;
}

export interface Refused {
  readonly code: string;
  readonly reason?: string;
  readonly unmet?: readonly { readonly criterionId: string | null; readonly code: string }[];
}

/** One session's plans, tasks and evidence, over HTTP. */
export class Planner {
  constructor(
    private readonly running: RunningLedger,
    readonly http: Http,
    readonly sessionId: string,
  ) {}

  async post(path: string, body: unknown = {}): Promise<StateAnswer> {
    return this.http.call('POST', this.path(path), body);
  }

  /** Sends a command (a text as it stands) that adds nothing, and gives status and body. */
  async idle(path: string, body: unknown = {}, http = this.http): Promise<{ status: number; body: StateAnswer & Refused }> {
    const before = await this.running.events();
    const answer = await http.raw('POST', this.path(path), typeof body === 'string' ? body : JSON.stringify(body));
    expect(await this.running.events()).toBe(before);
    return { status: answer.status, body: answer.body as StateAnswer & Refused };
  }

  /** Status and code of a refusal that recorded nothing. */
  async refused(path: string, body: unknown = {}, http = this.http): Promise<[number, string]> {
    const { status, body: refusal } = await this.idle(path, body, http);
    return [status, refusal.code];
  }

  /** A task as it is read at a position. */
  async read(taskId: string, position: string, plan?: string): Promise<TaskReading> {
    const query = plan === undefined ? '' : `?plan=${plan}`;
    return this.http.call('GET', this.path(`tasks/${taskId}${query}`), undefined, { 'counterfoil-min-position': position });
  }

  private path(path: string): string {
    return `/v1/sessions/${this.sessionId}/${path}`;
  }
}
