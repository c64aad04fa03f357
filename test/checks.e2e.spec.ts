import { randomUUID } from 'node:crypto';
import type { ReceiptDocument } from '@counterfoil/contracts';
import type { CallAnswer, Http } from './demo/agent.js';
import { MAKE, ok, Stage, type Scene } from './support/stage.js';

let stage: Stage;
let approver: Http;

beforeAll(async () => {
  stage = await Stage.start();
  approver = await stage.running.client('person:approver', ['approver']);
});

afterAll(() => stage.running.stop());

const criterion = { id: 'c1', kind: 'command', tool: { source: 'builtin', name: 'run' }, ...MAKE };
const wish = { taskId: 't1', requireApproval: true };
const run = ({ agent }: Scene, args: unknown, more: object = { taskId: 't1' }): Promise<CallAnswer> =>
  agent.request('check', 'c', 'run', args, { ...more });
const grantPath = ({ call }: CallAnswer, way: 'grant' | 'deny' = 'grant'): string =>
  `/v1/approvals/${call.approval?.approvalId ?? ''}/${way}`;

async function finish({ agent }: Scene, asked: CallAnswer, operationId = asked.call.operationId): Promise<CallAnswer> {
  const dispatched = await agent.dispatch({ ...asked, call: { ...asked.call, operationId } });
  return agent.report(asked, dispatched.attempt, ok, 'passed');
}

async function batch({ agent }: Scene): Promise<CallAnswer> {
  const call = { turn: 'check', callId: 'c' };
  const attempt = randomUUID();
  const items = [
    { do: 'request', body: { ...call, tool: { source: 'builtin', name: 'run' }, arguments: MAKE, taskId: 't1' } },
    { do: 'dispatch', call, body: { attempt, arguments: MAKE } },
    { do: 'result', call, body: { attempt, outcome: ok, output: 'passed' } },
  ];
  const { answers } = await stage.http.call<{ answers: { body: CallAnswer }[] }>('POST', `/v1/sessions/${agent.sessionId}/batch`, {
    items,
  });
  const last = answers.at(-1);
  if (last === undefined) throw new Error('no answer');
  return last.body;
}

/** Ways in which one check can come to run. */
const WAYS: readonly [string, (scene: Scene) => Promise<CallAnswer>][] = [
  ['plainly', async (scene) => finish(scene, await run(scene, MAKE))],
  [
    'with its arguments in another order, and more of them',
    async (scene) => finish(scene, await run(scene, { n: 1, cwd: '/w', command: 'make test' })),
  ],
  [
    'with its arguments as the text of a model',
    async (scene) => {
      const body = {
        callId: 'c',
        turn: 'check',
        tool: { source: 'builtin', name: 'run' },
        argumentsJson: ' {"cwd":"/w", "command":"make\\u0020test"}',
        taskId: 't1',
      };
      return finish(scene, await stage.http.call('POST', `/v1/sessions/${scene.agent.sessionId}/tool-calls`, body));
    },
  ],
  [
    'after an approval',
    async (scene) => {
      const asked = await run(scene, MAKE, wish);
      await approver.call('POST', grantPath(asked), { operationId: asked.call.operationId });
      return finish(scene, asked);
    },
  ],
  [
    'since the approver edited another command',
    async (scene) => {
      const asked = await run(scene, { ...MAKE, command: 'make all' }, wish);
      const granted = await approver.call<CallAnswer>('POST', grantPath(asked), { operationId: asked.call.operationId, arguments: MAKE });
      return finish(scene, asked, granted.call.operationId);
    },
  ],
  [
    'although somebody had asked it to stop',
    async (scene) => {
      const asked = await run(scene, MAKE);
      const { attempt } = await scene.agent.dispatch(asked);
      await scene.agent.cancel(asked, 'too slow');
      return scene.agent.report(asked, attempt, ok, 'passed');
    },
  ],
  ['in a batch', batch],
];

const receipt = ({ call, position }: CallAnswer): Promise<ReceiptDocument> =>
  stage.http.call('GET', `/v1/receipts/${call.receiptId}`, undefined, { 'counterfoil-min-position': position });

describe('a check that really ran (case 37)', () => {
  it.each(WAYS)('proves its criterion however it was called: %s', async (_way, ran) => {
    const scene = await stage.scene(criterion);
    const done = await ran(scene);
    expect((await receipt(done)).verification).toMatchObject({ state: 'verified', method: 'exit_status' });
    expect(await stage.unmetBy(scene, done)).toEqual([]);
  });
});

describe('a check that never ran (case 37)', () => {
  it.each<[string, (scene: Scene) => Promise<CallAnswer>]>([
    ['denied', async (scene) => approver.call('POST', grantPath(await run(scene, MAKE, wish), 'deny'), {})],
    ['cancelled', async (scene) => scene.agent.cancel(await run(scene, MAKE), 'not now')],
    [
      'rejected',
      async (scene) => {
        const asked = await run(scene, MAKE);
        await scene.planner.post('tasks/t1/block');
        const { answer } = await scene.agent.dispatch(asked);
        await scene.planner.post('tasks/t1/unblock');
        await scene.planner.post('tasks/t1/start');
        return answer;
      },
    ],
  ])('since it was %s proves nothing: it is neither verified nor failed, and no evidence', async (status, ended) => {
    const scene = await stage.scene(criterion);
    const answer = await ended(scene);
    expect(answer.call.status).toBe(status);
    expect(await receipt(answer)).toMatchObject({ status, outcome: null, verification: { state: 'not_applicable', method: null } });
    const evidence = { evidenceId: 'e1', taskId: 't1', receiptId: answer.call.receiptId };
    const { status: http, body } = await scene.planner.idle('evidence', evidence);
    expect([http, body.code, body.reason]).toEqual([409, 'evidence_unusable', 'call_not_reported']);
    expect(await stage.unmet(scene.planner, [])).toEqual(['missing']);
  });
});
