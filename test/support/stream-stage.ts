import type { Role } from '@counterfoil/contracts';
import type { Ledger } from '@counterfoil/ledger';
import { Agent, Http } from '../demo/agent.js';
import { EventStreamClient, type StreamMessage } from './event-stream.js';
import { startLedger, type RunningLedger } from './running-ledger.js';

export interface StreamKey {
  readonly keyId: string;
  readonly secret: string;
  readonly http: Http;
}

/** Kind, id and status of each message. */
export const gist = (messages: readonly StreamMessage[]): unknown[] =>
  messages.map(({ event, document }) => [event, document['status'] ?? document['state']]);

/** A running ledger, those who act in it and listen to it, and the streams that a test has open. */
export class StreamStage {
  /** Of a session of its own for each test. */
  agent: Agent;
  private readonly open: EventStreamClient[] = [];
  private sessions = 0;

  private constructor(
    readonly running: RunningLedger,
    readonly agentKey: StreamKey,
    readonly approver: StreamKey,
    readonly auditor: StreamKey,
  ) {
    this.agent = new Agent(agentKey.http, 's0');
  }

  static async start(): Promise<StreamStage> {
    const running = await startLedger();
    const [agent, approver, auditor] = [
      await keyOf(running, 'agent:a', ['agent']),
      await keyOf(running, 'person:p', ['approver']),
      await keyOf(running, 'person:q', ['auditor']),
    ];
    return new StreamStage(running, agent, approver, auditor);
  }

  async nextSession(): Promise<void> {
    this.agent = new Agent(this.agentKey.http, `s${String(++this.sessions)}`);
    await this.agent.open();
  }

  makeKey(principal: string, roles: readonly Role[], more: Record<string, unknown> = {}): Promise<StreamKey> {
    return keyOf(this.running, principal, roles, more);
  }

  /** Opens a stream, and says when it has begun: what happens from now on is in it. */
  async listen(key: StreamKey, query = '', headers: Record<string, string> = {}): Promise<EventStreamClient> {
    const stream = await EventStreamClient.open(this.running.url, key.secret, query, headers);
    this.open.push(stream);
    return stream;
  }

  leaveAll(): void {
    for (const stream of this.open.splice(0)) stream.leave();
  }

  /** The ledger opened once more, as another process has it. */
  async withOther(work: (other: Ledger) => Promise<void>): Promise<void> {
    const other = await this.running.open();
    try {
      await work(other);
    } finally {
      await other.close();
    }
  }
}

async function keyOf(
  running: RunningLedger,
  principal: string,
  roles: readonly Role[],
  more: Record<string, unknown> = {},
): Promise<StreamKey> {
  const userId = roles.includes('agent') ? { userId: 'u1' } : {};
  const made = await running.admin.call<{ keyId: string; secret: string }>('POST', '/v1/keys', { principal, roles, ...userId, ...more });
  return { ...made, http: new Http(running.url, made.secret) };
}
