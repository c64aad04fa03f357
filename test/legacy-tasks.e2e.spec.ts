import { randomUUID } from 'node:crypto';
import type { Page, ReceiptDocument } from '@counterfoil/contracts';
import type { CallAnswer } from './demo/agent.js';
import { at, OldRuntime } from './support/old-runtime.js';

let old: OldRuntime;

beforeAll(async () => {
  old = await OldRuntime.start();
});

afterAll(() => old.running.stop());

describe('a task that is inferred', () => {
  const contracted = { taskId: 't1', title: 'Test it', contract: { action: 'run_cmd', args: 'npm test' } };
  const checked = {
    taskId: 't2',
    criteria: [{ id: 'c1', kind: 'command', tool: { source: 'legacy', name: 'run_cmd' }, command: 'make lint' }],
  };

  it('is shown with its rule, lists the receipt, and is as it was', async () => {
    const { id, path, planner } = await old.session(contracted, checked);
    const { position } = await planner.post('tasks/t1/start');
    const before = await old.tasksOf(id, position);
    const call = await old.reported(path);
    expect((await old.receipt(call)).association).toEqual({ kind: 'inferred', taskId: 't1', basis: 'contract_args' });
    const byTask = await old.http.call<Page<ReceiptDocument>>('GET', `/v1/receipts?session=${id}&task=t1`, undefined, at(call.position));
    expect(byTask.items.map(({ receiptId }) => receiptId)).toEqual([call.call.receiptId]);
    expect(await old.tasksOf(id, call.position)).toBe(before);
    expect(await planner.read('t1', call.position)).toMatchObject({ status: 'running', receiptCount: 0, lastReceipts: [], evidence: [] });
  });

  it('is neither proven nor completed by a run of its very command', async () => {
    const { path, planner } = await old.session(contracted, checked);
    await planner.post('tasks/t2/start');
    const run = await old.reported(path, { args: 'make lint' });
    expect(await old.receipt(run)).toMatchObject({
      association: { taskId: 't2', basis: 'criterion_args' },
      verification: { state: 'verified' },
    });
    const evidence = { evidenceId: 'e1', taskId: 't2', criterionId: 'c1', receiptId: run.call.receiptId };
    const refused = await planner.idle('evidence', evidence);
    expect([refused.status, refused.body.code, refused.body.reason]).toEqual([409, 'evidence_unusable', 'observed']);
    const met = [{ criterionId: 'c1', evidenceId: 'e1' }];
    expect(await planner.refused('tasks/t2/complete', { met })).toEqual([409, 'completion_unmet']);
  });

  it('may have been named, and is none of another session', async () => {
    const { path } = await old.session({ taskId: 'mine' });
    await old.session({ taskId: 'theirs' });
    expect((await old.receipt(await old.reported(path, { taskId: 'mine', receiptId: 'r1' }))).association).toEqual({
      kind: 'inferred',
      taskId: 'mine',
      basis: 'named',
    });
    const [theirs, nobodys] = [
      await old.reported(path, { taskId: 'theirs', receiptId: 'r2' }),
      await old.reported(path, { taskId: 'nobodys', receiptId: 'r3' }),
    ];
    expect([(await old.receipt(theirs)).association, (await old.receipt(nobodys)).association]).toEqual([
      { kind: 'none', taskId: null },
      { kind: 'none', taskId: null },
    ]);
  });

  it('loses evidence to a state-changing report, and none to one that only reads', async () => {
    const { planner, path } = await old.session({ taskId: 't1', criteria: [{ id: 'c1', kind: 'evidence', description: 'seen' }] });
    await planner.post('tasks/t1/start');
    await planner.post('evidence', {
      evidenceId: 'e1',
      taskId: 't1',
      observation: { path: 'a', method: 'look', observer: 'x', exists: true },
    });
    const stale = async ({ position }: CallAnswer): Promise<boolean | undefined> => (await planner.read('t1', position)).evidence[0]?.stale;
    expect(await stale(await old.reported(path, { action: 'read_file', args: 'a', receiptId: 'r1' }))).toBe(false);
    expect(await stale(await old.reported(path, { receiptId: 'r2' }))).toBe(true);
  });

  it('follows the order of a plan in words', async () => {
    const { path, planner } = await old.session(
      { taskId: 't1', description: 'Read the repository' },
      { taskId: 't2', title: 'Write the parser' },
    );
    const associationOf = async (more: Record<string, unknown>): Promise<unknown> =>
      (await old.receipt(await old.reported(path, more))).association;
    expect(await associationOf({ action: 'tree', args: '.', receiptId: 'r1' })).toEqual({ kind: 'none', taskId: null });
    expect(await associationOf({ action: 'list_tree', args: '.', receiptId: 'r2' })).toEqual({
      kind: 'inferred',
      taskId: 't1',
      basis: 'ordered_plan',
    });
    expect(await associationOf({ action: 'write', args: 'a|b', receiptId: 'r3' })).toEqual({ kind: 'none', taskId: null });
    await planner.post('tasks/t1/start');
    await planner.post('tasks/t1/complete', { acceptance: 'I read it' });
    expect(await associationOf({ action: 'write', args: 'a|b', receiptId: 'r4' })).toEqual({
      kind: 'inferred',
      taskId: 't2',
      basis: 'ordered_plan',
    });
  });
});

describe('a thousand native calls that the old rules would have matched', () => {
  const scenes = [
    {
      rule: 'contract_args',
      tasks: [{ taskId: 't1', contract: { action: 'run_cmd', args: 'npm test' } }, { taskId: 't2' }],
      action: 'run_cmd',
      args: 'npm test',
    },
    {
      rule: 'contract',
      tasks: [{ taskId: 't1', contract: { action: 'write_file' } }, { taskId: 't2' }],
      action: 'write_file',
      args: 'a.txt|alpha',
    },
    {
      rule: 'criterion_args',
      tasks: [{ taskId: 't1', criteria: [{ id: 'c1', kind: 'command', tool: { source: 'legacy', name: 'run_cmd' }, command: 'make' }] }],
      action: 'run_cmd',
      args: 'make',
    },
    {
      rule: 'ordered_plan',
      tasks: [
        { taskId: 't1', title: 'Run the tests' },
        { taskId: 't2', title: 'Commit' },
      ],
      action: 'run_cmd',
      args: 'npm test',
    },
  ] as const;

  it.each(scenes)('are of no task ($rule)', async ({ rule, tasks, action, args }) => {
    const { id, path, planner } = await old.session(...tasks);
    const { position } = await planner.post('tasks/t1/start');
    const before = await old.tasksOf(id, position);
    const tool = { source: 'legacy', name: action };
    const items = Array.from({ length: 250 }, (_, n) => {
      const called = { callId: `c${String(n)}`, turn: `t${String(n)}`, tool, arguments: n % 3 === 0 ? { command: args } : { args } };
      const item =
        n % 2 === 0
          ? { do: 'observe', body: { ...called, outcome: { status: 'succeeded', exitCode: 0 } } }
          : { do: 'request', body: called };
      return [
        item,
        ...(n % 10 === 1
          ? [
              {
                do: 'dispatch',
                call: { turn: called.turn, callId: called.callId },
                body: { attempt: randomUUID(), arguments: called.arguments },
              },
            ]
          : []),
      ];
    }).flat();
    let last = position;
    for (let from = 0; from < items.length; from += 100) {
      const body = { items: items.slice(from, from + 100) };
      const { answers } = await old.http.call<{ answers: { status: number; body: CallAnswer }[] }>(
        'POST',
        `/v1/sessions/${id}/batch`,
        body,
      );
      expect(answers.filter(({ status }) => status >= 400)).toEqual([]);
      last = answers.at(-1)?.body.position ?? last;
    }
    let cursor = '';
    let seen = 0;
    do {
      const page: Page<ReceiptDocument> = await old.http.call('GET', `/v1/receipts?session=${id}&limit=100${cursor}`, undefined, at(last));
      for (const { association, taskId } of page.items) expect([association, taskId]).toEqual([{ kind: 'none', taskId: null }, null]);
      seen += page.items.length;
      cursor = page.nextCursor === null ? '' : `&cursor=${encodeURIComponent(page.nextCursor)}`;
    } while (cursor !== '');
    expect(seen).toBe(250);
    expect(await old.tasksOf(id, last)).toBe(before);
    // The same over the legacy adapter is put to the task, which shows that the rules would have matched.
    expect((await old.receipt(await old.reported(path, { action, args }))).association).toEqual({
      kind: 'inferred',
      taskId: 't1',
      basis: rule,
    });
  });
});
