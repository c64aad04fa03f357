import type { Http } from './demo/agent.js';
import { inWords, ok, Stage } from './support/stage.js';

let stage: Stage;
let approver: Http;

beforeAll(async () => {
  stage = await Stage.start();
  approver = await stage.running.client('person:approver', ['approver']);
});

afterAll(() => stage.running.stop());

describe('an attestation', () => {
  const attested = { id: 'c1', kind: 'attestation', role: 'approver' };

  it('meets its criterion when a person with the role attests', async () => {
    const { planner } = await stage.scene(attested);
    const path = `/v1/sessions/${planner.sessionId}/evidence`;
    const body = { evidenceId: 'a1', taskId: 't1', attestation: { statement: 'I looked at it' } };
    expect(await approver.call('POST', path, body)).toMatchObject({ evidence: { evidenceId: 'a1', kind: 'attestation', stale: false } });
    expect(await stage.unmet(planner, [{ criterionId: 'c1', evidenceId: 'a1' }])).toEqual([]);
    const { position } = await planner.post('tasks/t2/start');
    expect((await planner.read('t1', position)).evidence[0]).toMatchObject({
      by: 'person:approver',
      source: { kind: 'attestation', by: 'person:approver', roles: ['approver'] },
    });
  });

  it('of an agent is none, and of a person without the role not enough', async () => {
    const { planner } = await stage.scene(attested);
    expect(await planner.refused('evidence', { evidenceId: 'a1', taskId: 't1', attestation: {} })).toEqual([
      422,
      'attestation_needs_person',
    ]);
    const person = await stage.running.client('person:user', ['agent']);
    await person.call('POST', `/v1/sessions/${planner.sessionId}/evidence`, { evidenceId: 'a2', taskId: 't1', attestation: {} });
    expect(await stage.unmet(planner, [{ criterionId: 'c1', evidenceId: 'a2' }])).toEqual(['role_missing']);
  });

  it('is not needed to be of another kind: a receipt is not an attestation', async () => {
    const all = await stage.scene(attested);
    expect(await stage.unmetBy(all, await stage.run(all.agent, 'read_file', { path: 'a' }))).toEqual(['not_attested']);
  });
});

describe('evidence', () => {
  it('is recorded once: the same again adds nothing, other content under its id is a conflict', async () => {
    const { planner, agent } = await stage.scene(inWords('c1'));
    const { call } = await stage.run(agent, 'read_file', { path: 'a' });
    const body = { evidenceId: 'e1', taskId: 't1', criterionId: 'c1', receiptId: call.receiptId };
    const first = await stage.http.raw('POST', `/v1/sessions/${planner.sessionId}/evidence`, JSON.stringify(body));
    expect(first).toMatchObject({
      status: 201,
      body: { evidence: { evidenceId: 'e1', criterionId: 'c1', kind: 'receipt', stale: false } },
    });
    expect(await planner.idle('evidence', body)).toEqual({ status: 200, body: first.body });
    expect(await planner.refused('evidence', { ...body, criterionId: undefined })).toEqual([409, 'evidence_conflict']);
  });

  it('said again after its plan is no evidence of the next plan', async () => {
    const { planner } = await stage.scene(inWords('c1'));
    const body = { evidenceId: 'o1', taskId: 't1', observation: { path: 'a', method: 'look', observer: 'me', exists: true } };
    await planner.post('evidence', body);
    await planner.post('plans', { planId: 'p2', tasks: [{ taskId: 't1', criteria: [inWords('c1')] }] });
    const { status, body: again } = await planner.idle('evidence', body);
    expect([status, again]).toMatchObject([200, { evidence: { planId: 'p1', stale: true } }]);
    await planner.post('tasks/t1/start');
    expect(await stage.unmet(planner, [{ criterionId: 'c1', evidenceId: 'o1' }])).toEqual(['unknown_evidence']);
  });

  it('is no receipt of a call that has no result in time, or is not bound to the task', async () => {
    const { planner, agent } = await stage.scene(inWords('c1'));
    const reason = async (receiptId: string): Promise<string | undefined> =>
      (await planner.idle('evidence', { evidenceId: 'x', taskId: 't1', receiptId })).body.reason;
    const open = await agent.request('open', 'c', 'write_file', { path: 'a', content: '1' }, { taskId: 't1' });
    expect(await reason(open.call.receiptId)).toBe('call_not_reported');
    const late = await agent.request('late', 'c', 'write_file', { path: 'b', content: '1' }, { taskId: 't1' });
    await agent.cancel(late, 'no');
    expect(await reason(late.call.receiptId)).toBe('call_not_reported');
    expect(await reason((await stage.run(agent, 'read_file', { path: 'c' }, ok, null)).call.receiptId)).toBe('not_bound');
    expect(await reason((await stage.run(agent, 'read_file', { path: 'd' }, ok, 't2')).call.receiptId)).toBe('not_bound');
    expect(await planner.refused('evidence', { evidenceId: 'x', taskId: 't1', receiptId: `rcp_${'0'.repeat(22)}` })).toEqual([
      404,
      'not_found',
    ]);
  });

  it('may be a call that ended long ago', async () => {
    const all = await stage.scene(inWords('c1'));
    const old = await stage.run(all.agent, 'read_file', { path: 'a' });
    const items = Array.from({ length: 100 }, (_, n) => ({
      do: 'request',
      body: { callId: `o${String(n)}`, turn: 'many', tool: { source: 'builtin', name: 'x' }, argumentsJson: '{"cut' },
    }));
    await stage.http.call('POST', `/v1/sessions/${all.planner.sessionId}/batch`, { items });
    expect(await stage.unmetBy(all, old)).toEqual([]);
  });

  it('meets one criterion, each criterion needs its own, and all that is missing is named', async () => {
    const { planner, agent } = await stage.scene(inWords('c1'), inWords('c2'), inWords('c3'));
    const { call } = await stage.run(agent, 'read_file', { path: 'a' });
    const other = await stage.run(agent, 'read_file', { path: 'b' });
    await planner.post('evidence', { evidenceId: 'e1', taskId: 't1', receiptId: call.receiptId });
    await planner.post('evidence', { evidenceId: 'e2', taskId: 't1', criterionId: 'c2', receiptId: other.call.receiptId });
    const { body } = await planner.idle('tasks/t1/complete', {
      met: [
        { criterionId: 'c1', evidenceId: 'e1' },
        { criterionId: 'c2', evidenceId: 'e1' },
        { criterionId: 'c9', evidenceId: 'e2' },
      ],
    });
    expect([...(body.unmet ?? [])].map(({ criterionId, code }) => [criterionId, code]).sort()).toEqual([
      ['c1', 'used_twice'],
      ['c2', 'used_twice'],
      ['c3', 'missing'],
      ['c9', 'unknown_criterion'],
    ]);
    expect(
      await stage.unmet(
        planner,
        ['c1', 'c2', 'c3'].map((criterionId, n) => ({ criterionId, evidenceId: ['e2', 'e1', 'none'][n] })),
      ),
    ).toEqual(['other_criterion', 'unknown_evidence']);
  });

  it.each([
    ['no source', {}],
    ['two sources', { receiptId: `rcp_${'0'.repeat(22)}`, attestation: {} }],
    ['a receipt id that is none', { receiptId: 'rcp_x' }],
    ['a digest in capitals', { observation: { path: 'a', method: 'm', observer: 'o', exists: true, sha256: 'A'.repeat(64) } }],
  ])('needs exactly one source that can be read: %s', async (_name, more) => {
    const { planner } = await stage.scene(inWords('c1'));
    expect(await planner.refused('evidence', { evidenceId: 'e', taskId: 't1', ...more })).toEqual([422, 'invalid_request']);
  });
});
