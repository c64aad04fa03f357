import type { Page, ReceiptDocument, TaskReading } from '@counterfoil/contracts';
import { Agent, Http, type CallAnswer } from '../demo/agent.js';
import { Planner } from './plans.js';
import { startLedger, type RunningLedger } from './running-ledger.js';

const RUN_CMD = { source: 'legacy', name: 'run_cmd', sideEffects: 'process', effect: { kind: 'command', command: '/command' } };
const READ_FILE = { source: 'legacy', name: 'read_file', sideEffects: 'read_only' };

export const at = (position: string): Record<string, string> => ({ 'counterfoil-min-position': position });

/** What an old runtime knew of one call, in its own words. */
export const execution = (more: Record<string, unknown> = {}): Record<string, unknown> => ({
  action: 'bash',
  args: 'npm test',
  result: 'ok',
  success: true,
  authorized: true,
  startedAt: '2026-11-30T13:23:40.917135+00:00',
  completedAt: '2026-11-30T13:23:41+00:00',
  receiptId: 'receipt_fce59981309241ff9415ed04aba87bdf',
  operationId: '6ea7cdb8547174d4abde4b73533424cd',
  exitCode: 0,
  ...more,
});

/** A runtime that can only say afterwards what it ran, before a ledger of its own. */
export class OldRuntime {
  private sessions = 0;

  private constructor(
    readonly running: RunningLedger,
    readonly key: string,
    readonly http: Http,
  ) {}

  static async start(): Promise<OldRuntime> {
    const running = await startLedger();
    for (const tool of [RUN_CMD, READ_FILE]) await running.admin.call('POST', '/v1/tools', tool);
    const body = { principal: 'agent:old', roles: ['agent'], userId: 'u1' };
    const key = (await running.admin.call<{ secret: string }>('POST', '/v1/keys', body)).secret;
    return new OldRuntime(running, key, new Http(running.url, key));
  }

  /** A session with this plan, if any. */
  async session(...tasks: readonly object[]): Promise<{ readonly id: string; readonly path: string; readonly planner: Planner }> {
    const id = `old-${String(this.sessions++)}`;
    await new Agent(this.http, id).open();
    const planner = new Planner(this.running, this.http, id);
    if (tasks.length > 0) await planner.post('plans', { planId: 'p1', tasks });
    return { id, path: `/v1/sessions/${id}/legacy-executions`, planner };
  }

  reported(path: string, more: Record<string, unknown> = {}): Promise<CallAnswer> {
    return this.http.call('POST', path, execution(more));
  }

  receipt({ call, position }: CallAnswer): Promise<ReceiptDocument> {
    return this.http.call('GET', `/v1/receipts/${call.receiptId}`, undefined, at(position));
  }

  /** A request that appends nothing. */
  async idle(path: string, body: unknown): Promise<{ status: number; body: unknown }> {
    const before = await this.running.events();
    const answer = await this.http.raw('POST', path, typeof body === 'string' ? body : JSON.stringify(body));
    expect(await this.running.events()).toBe(before);
    return answer;
  }

  /** The tasks of a session as they are shown, but for where that was read. */
  async tasksOf(id: string, position: string): Promise<string> {
    const { items } = await this.http.call<Page<TaskReading>>('GET', `/v1/tasks?session=${id}`, undefined, at(position));
    return JSON.stringify(items.map(({ position: _p, ...task }) => task));
  }
}
