import { randomUUID } from 'node:crypto';
import { overMongo } from '@counterfoil/testing';
import { Agent, Http, type CallAnswer } from './demo/agent.js';
import { startCluster, type Cluster } from './distributed/cluster.js';
import { foldSession } from './distributed/fold.js';
import { SERVERS, STREAM_PREFIX } from './distributed/members.js';
import { Sender } from './distributed/sender.js';
import { EventStreamClient, type StreamMessage } from './support/event-stream.js';

type Answer = CallAnswer & { readonly revision: string };

const ok = { status: 'succeeded' } as const;

overMongo('two servers of one distributed ledger', ['A'], (server) => {
  let cluster: Cluster;
  let agents: readonly Http[];
  let agentKey: string;
  const streams: EventStreamClient[] = [];
  let sessions = 0;

  beforeAll(async () => {
    cluster = await startCluster(server.url);
    const body = { principal: 'agent:a', userId: 'u', roles: ['agent'] };
    const { secret } = await cluster.admin('server-1').call<{ secret: string }>('POST', '/v1/keys', body);
    agentKey = secret;
    // A key that one server made opens the other.
    agents = SERVERS.map((name) => new Http(cluster.server(name).url, secret));
  }, 120_000);
  afterEach(() => {
    for (const stream of streams.splice(0)) stream.leave();
  });
  afterAll(() => cluster.stop(), 60_000);

  const through = (n: number): Http => agents[n % agents.length]!;
  /** The same session, through either server. */
  const freshSession = async (): Promise<readonly Agent[]> => {
    const pair = agents.map((http) => new Agent(http, `session-${String(sessions)}`));
    sessions++;
    await pair[0]?.open();
    return pair;
  };
  const listen = async (n: number, query: string, headers: Record<string, string> = {}): Promise<EventStreamClient> => {
    const stream = await EventStreamClient.open(cluster.server(SERVERS[n]!).url, cluster.adminKey, query, headers);
    streams.push(stream);
    return stream;
  };
  /** A message holds the receipt as it is when it is sent, so that one of an earlier change may hold the end, too. */
  const isEndOf =
    (callId: string) =>
    ({ document }: StreamMessage): boolean =>
      document['callId'] === callId && document['status'] === 'succeeded';

  it('each tells its listeners of changes that came through the other, whichever process projects', async () => {
    const [first, second] = (await freshSession()) as [Agent, Agent];
    const query = `?types=receipt&session=${first.sessionId}`;
    const both = [await listen(0, query), await listen(1, query)];
    await Promise.all(both.map((stream) => stream.begin()));
    await first.run('1', 'through-1', 'read_file', { n: 1 }, ok, 'output');
    for (const stream of both) await stream.until(isEndOf('through-1'));
    await second.run('1', 'through-2', 'read_file', { n: 2 }, ok, 'output');
    for (const stream of both) await stream.until(isEndOf('through-2'));
    const place = both[0]?.lastEventId ?? '';
    // All partitions are at another process now.
    await cluster.projector('projector-1').end('SIGTERM');
    await second.run('2', 'later', 'read_file', { n: 3 }, ok, 'output');
    for (const stream of both) await stream.until(isEndOf('later'));
    // A client that was with one server goes on with the other, from where it was.
    const resumed = await listen(1, query, { 'last-event-id': place });
    const messages = await resumed.until(isEndOf('later'));
    expect(messages.map(({ document }) => document['callId'])).not.toContain('through-1');
    await cluster.startProjector('projector-1');
  }, 120_000);

  it('take the commands of one session by turns, with no gap in its revisions and no stale answer', async () => {
    const [agent] = (await freshSession()) as [Agent, Agent];
    const path = `/v1/sessions/${agent.sessionId}/tool-calls`;
    let revision = 0n;
    const next = (answer: Answer): Answer => {
      expect(BigInt(answer.revision)).toBe(++revision);
      return answer;
    };
    for (let n = 0; n < 30; n++) {
      const request = { callId: `call_${String(n)}`, turn: String(n), tool: { source: 'builtin', name: 'read_file' }, arguments: { n } };
      const asked = next(await through(n).call('POST', path, request));
      const call = `${path}/${asked.call.receiptId}`;
      const attempt = randomUUID();
      const dispatch = { attempt, operationId: asked.call.operationId, leaseSeconds: 600 };
      next(await through(n + 1).call('POST', `${call}/dispatch`, dispatch));
      // Asked of the one that hasn't written it: the state, the same command again, and another one.
      expect(await through(n).call('GET', call)).toMatchObject({ call: { status: 'dispatched', attempt } });
      expect(await through(n).call('POST', `${call}/dispatch`, dispatch)).toMatchObject({ call: { status: 'dispatched', attempt } });
      const other = await through(n).raw('POST', `${call}/dispatch`, JSON.stringify({ ...dispatch, attempt: randomUUID() }));
      expect([other.status, (other.body as { code: string }).code]).toEqual([409, 'already_dispatched']);
      next(await through(n).call('POST', `${call}/result`, { attempt, outcome: ok, output: 'x' }));
      expect(await through(n + 1).call('GET', call)).toMatchObject({ call: { status: 'succeeded' } });
    }
  }, 120_000);

  it('take them at the same time, and each is recorded once', async () => {
    const [agent] = (await freshSession()) as [Agent, Agent];
    // Many at once onto one session: some are told to come again (503 contention).
    const sender = new Sender(
      SERVERS.map((name) => cluster.server(name).url),
      agentKey,
    );
    const path = `/v1/sessions/${agent.sessionId}/tool-calls`;
    await Promise.all(
      Array.from({ length: 60 }, async (_, n) => {
        const request = { callId: `call_${String(n)}`, turn: String(n), tool: { source: 'builtin', name: 'read_file' }, arguments: { n } };
        const { call } = (await sender.command<Answer>(n, path, request)).body;
        const attempt = randomUUID();
        const dispatch = { attempt, operationId: call.operationId, leaseSeconds: 600 };
        await sender.command(n + 1, `${path}/${call.receiptId}/dispatch`, dispatch);
        await sender.command(n, `${path}/${call.receiptId}/result`, { attempt, outcome: ok, output: 'x' });
      }),
    );
    const stream = await cluster.eventStore.readStream(`${STREAM_PREFIX}session-default/${agent.sessionId}`);
    const { calls, faults } = foldSession(agent.sessionId, stream);
    expect([faults, calls.size, stream.length]).toEqual([[], 60, 181]);
  }, 120_000);

  it('let one of two dispatches through that come at the same time', async () => {
    const pair = await freshSession();
    const asked = await pair[0]!.request('1', 'c', 'read_file', {});
    const path = `/v1/sessions/${pair[0]!.sessionId}/tool-calls/${asked.call.receiptId}/dispatch`;
    const answers = await Promise.all(
      agents.map((http) =>
        http.raw('POST', path, JSON.stringify({ attempt: randomUUID(), operationId: asked.call.operationId, leaseSeconds: 60 })),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
  }, 60_000);
});
