import { createHash } from 'node:crypto';
import { Agent, type CallAnswer, type Http, type Outcome } from '../demo/agent.js';
import { Planner } from './plans.js';
import { startLedger, type RunningLedger } from './running-ledger.js';

const COMMAND = { kind: 'command', command: '/command', cwd: '/cwd' };
const WRITE = { kind: 'file_write', path: '/path', content: '/content' };

const TOOLS = [
  { name: 'run', sideEffects: 'process', effect: COMMAND },
  { name: 'grep', sideEffects: 'process', effect: COMMAND, successExitCodes: [0, 1] },
  { name: 'write_file', sideEffects: 'filesystem', effect: WRITE },
  { name: 'read_file', sideEffects: 'read_only' },
];

export const MAKE = { command: 'make test', cwd: '/w' };
export const ok = { status: 'succeeded', exitCode: 0 } as const;
export const sha = (text: string): string => createHash('sha256').update(text).digest('hex');
export const inWords = (id: string): object => ({ id, kind: 'evidence', description: 'it is so' });

export interface Scene {
  readonly planner: Planner;
  readonly agent: Agent;
}

/** A ledger whose tools `run`, `grep`, `write_file` and `read_file` are registered, and sessions with a running task in it. */
export class Stage {
  private sessions = 0;
  private calls = 0;

  private constructor(
    readonly running: RunningLedger,
    readonly http: Http,
  ) {}

  static async start(): Promise<Stage> {
    const running = await startLedger();
    for (const tool of TOOLS) await running.admin.call('POST', '/v1/tools', { source: 'builtin', ...tool });
    return new Stage(running, await running.client('agent:a', ['agent']));
  }

  /** A session with an active plan: task t1 with these criteria, running, and another task t2. */
  async scene(...criteria: readonly object[]): Promise<Scene> {
    const agent = new Agent(this.http, `evidence-${String(this.sessions++)}`);
    await agent.open();
    const planner = new Planner(this.running, this.http, agent.sessionId);
    await planner.post('plans', { planId: 'p1', tasks: [{ taskId: 't1', criteria }, { taskId: 't2' }] });
    await planner.post('tasks/t1/start');
    return { planner, agent };
  }

  /** Runs a call of t1 (or of none) to its end. */
  async run(agent: Agent, name: string, args: unknown, outcome: Outcome = ok, taskId: string | null = 't1'): Promise<CallAnswer> {
    const asked = await this.ask(agent, name, args, taskId);
    const { answer, attempt } = await agent.dispatch(asked);
    return answer.call.status === 'dispatched' ? agent.report(asked, attempt, outcome, 'output') : answer;
  }

  async ask(agent: Agent, name: string, args: unknown, taskId: string | null = 't1'): Promise<CallAnswer> {
    return agent.request(String(this.calls++), 'c', name, args, taskId === null ? {} : { taskId });
  }

  /** Records a receipt as evidence `e1`, and gives why t1 can't be completed by it: nothing where it then is. */
  async unmetBy({ planner }: Scene, { call }: CallAnswer, criterionId = 'c1'): Promise<readonly string[]> {
    await planner.post('evidence', { evidenceId: 'e1', taskId: 't1', receiptId: call.receiptId });
    return this.unmet(planner, [{ criterionId, evidenceId: 'e1' }]);
  }

  /** Tries to complete t1, and gives why it can't be: nothing where it then is. */
  async unmet(planner: Planner, met: readonly object[]): Promise<readonly string[]> {
    const answer = await this.http.raw('POST', `/v1/sessions/${planner.sessionId}/tasks/t1/complete`, JSON.stringify({ met }));
    const { unmet = [] } = answer.body as { unmet?: readonly { code: string }[] };
    expect(answer.status).toBe(unmet.length === 0 ? 200 : 409);
    return unmet.map(({ code }) => code);
  }
}
