import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importSource } from '@counterfoil/history';
import { Agent, type CallAnswer } from './demo/agent.js';
import { gist, StreamStage } from './support/stream-stage.js';
import { isDistributed } from './support/test-stores.js';

const ok = { status: 'succeeded', exitCode: 0 } as const;

let stage: StreamStage;

beforeAll(async () => {
  stage = await StreamStage.start();
});
beforeEach(() => stage.nextSession());
afterEach(() => stage.leaveAll());
afterAll(() => stage.running.stop());

describe('what it sends', () => {
  it('each change of a receipt and an approval, as GET answers it', async () => {
    const stream = await stage.listen(stage.auditor);
    const asked = await stage.agent.request('1', 'a', 'pay', { n: 1 }, { requireApproval: true });
    const requested = await stream.take(3);
    // A request and the wish for its approval are two events of one append. A file shows both at once; a server hands over one by one, and
    // the first is told as of its own place or later.
    const first: unknown = isDistributed() ? expect.stringMatching(/^(requested|awaiting_approval)$/) : 'awaiting_approval';
    expect(gist(requested)).toEqual([
      ['receipt', first],
      ['receipt', 'awaiting_approval'],
      ['approval', 'pending'],
    ]);
    const { receiptId, approval, operationId } = asked.call;
    expect(requested[1]?.document).toEqual(await stage.auditor.http.call('GET', `/v1/receipts/${receiptId}`));
    expect(requested[2]?.document).toEqual(await stage.auditor.http.call('GET', `/v1/approvals/${approval?.approvalId ?? ''}`));

    await stage.approver.http.call('POST', `/v1/approvals/${approval?.approvalId ?? ''}/grant`, { operationId });
    const granted = await stream.until(({ event }) => event === 'approval');
    expect(gist(granted).at(-1)).toEqual(['approval', 'granted']);
    const { answer, attempt } = await stage.agent.dispatch(asked);
    await stage.agent.report(answer, attempt, ok, 'done');
    const done = await stream.until(({ document }) => document['status'] === 'succeeded');
    expect(done.at(-1)?.document).toEqual(await stage.auditor.http.call('GET', `/v1/receipts/${receiptId}`));
  });

  it('is a stream of events that nobody keeps', async () => {
    const stream = await stage.listen(stage.auditor);
    expect(stream.status).toBe(200);
    expect(stream.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
    expect(stream.headers.get('cache-control')).toBe('no-store');
    expect(stream.headers.get('counterfoil-correlation-id')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('only the types and the session that were asked for', async () => {
    const other = new Agent(stage.agentKey.http, `other-${stage.agent.sessionId}`);
    await other.open();
    const approvals = await stage.listen(stage.auditor, `?types=approval&session=${stage.agent.sessionId}`);
    await other.request('1', 'x', 'pay', { n: 1 }, { requireApproval: true });
    await stage.agent.request('1', 'a', 'pay', { n: 1 }, { requireApproval: true });
    const [first] = await approvals.take(1);
    expect([first?.event, first?.document['sessionId']]).toEqual(['approval', stage.agent.sessionId]);
  });

  it('what another process wrote', async () => {
    const asked = await stage.agent.request('1', 'a', 'read', { n: 1 });
    const stream = await stage.listen(stage.auditor);
    const waiting = stage.agent.wait((await stage.agent.dispatch(asked)).answer, 60);
    await stream.take(1);
    await stage.withOther(async ({ sessions: elsewhere }) => {
      const ref = { workspaceId: 'default', sessionId: stage.agent.sessionId };
      const origin = { actor: { principal: 'agent:a', keyId: 'x' }, roles: [], occurredAt: null, correlationId: null, traceparent: null };
      const attempt = (await waitingAttempt(asked)) ?? '';
      const outcome = { status: 'succeeded', exitCode: null, signal: null, isError: null, error: null } as const;
      const report = { output: null, observation: null, startedAt: null, completedAt: null, outcome };
      await elsewhere.handle(
        ref,
        { type: 'ReportResult', receiptId: asked.call.receiptId, attempt, ...report },
        origin,
        () => undefined,
        () => null,
      );
    });
    expect((await waiting).call.status).toBe('succeeded');
    expect(gist(await stream.take(1))).toEqual([['receipt', 'succeeded']]);
  });

  it('receipts that are imported', async () => {
    const stream = await stage.listen(stage.auditor, '?types=receipt');
    const file = join(stage.running.directory, 'old.jsonl');
    writeFileSync(file, `${JSON.stringify(oldRow())}\n`);
    await stage.withOther(async ({ store, keys }) => {
      const actor = { principal: 'service:import', keyId: 'local' };
      await importSource(file, { store, workspaceId: 'default', actor, importKey: keys.importKey, importRun: 'run-1', now: Date.now });
    });
    const [imported] = await stream.take(1);
    expect(imported?.document).toMatchObject({ status: 'succeeded', provenance: { kind: 'imported' } });
  });

  it('each change of a task, and every task of a plan that is activated', async () => {
    const stream = await stage.listen(stage.auditor, `?types=task&session=${stage.agent.sessionId}`);
    const path = `/v1/sessions/${stage.agent.sessionId}`;
    await stage.agentKey.http.call('POST', `${path}/plans`, { planId: 'p1', tasks: [{ taskId: 't1' }, { taskId: 't2' }] });
    await stage.agentKey.http.call('POST', `${path}/tasks/t2/start`, {});
    const told = await stream.take(3);
    expect(told.map(({ document, id }) => [document['taskId'], document['status'], id === null])).toEqual([
      ['t1', 'pending', true],
      ['t2', expect.any(String), false],
      ['t2', 'running', false],
    ]);
    expect(told.at(-1)?.document).toEqual(await stage.auditor.http.call('GET', `${path}/tasks/t2`));
  });

  it('goes on while the read models are rebuilt', async () => {
    const stream = await stage.listen(stage.auditor, '?types=receipt');
    await stage.running.ledger.engine.rebuild();
    await stage.agent.request('1', 'a', 'read', { n: 1 });
    expect(gist(await stream.take(1))).toEqual([['receipt', 'requested']]);
  });
});

/** The attempt that holds a call's lease. */
async function waitingAttempt(asked: CallAnswer): Promise<string | null> {
  const path = `/v1/sessions/${stage.agent.sessionId}/tool-calls/${asked.call.receiptId}`;
  return (await stage.agentKey.http.call<{ call: { attempt: string | null } }>('GET', path)).call.attempt;
}

const oldRow = (): object => ({
  id: 'evt_11112222333344445555666677778888',
  event_type: 'execution.receipt',
  payload: {
    receipt_id: 'receipt_aaaabbbbccccddddeeeeffff00001111',
    operation_id: '00112233445566778899aabbccddeeff',
    action: 'read_file',
    args: 'docs/plan.md',
    authorized: true,
    started_at: '2026-05-04T03:02:01.000100+00:00',
    completed_at: '2026-05-04T03:02:01.250000+00:00',
    success: true,
    result: '# Plan',
    failure: null,
    exit_code: null,
    verified_effect: null,
    acceptance: null,
  },
  user_id: 'local',
  workspace_id: 'source-1',
  session_id: 'chat-1',
  task_id: null,
  created_at: '2026-05-04T03:02:01.300000+00:00',
});
