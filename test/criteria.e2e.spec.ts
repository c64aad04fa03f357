import { randomUUID } from 'node:crypto';
import type { ReceiptDocument } from '@counterfoil/contracts';
import type { Agent, CallAnswer } from './demo/agent.js';
import { MAKE, ok, sha, Stage } from './support/stage.js';

let stage: Stage;

beforeAll(async () => {
  stage = await Stage.start();
});

afterAll(() => stage.running.stop());

const runs = (more: Record<string, unknown> = {}): object => ({
  id: 'c1',
  kind: 'command',
  tool: { source: 'builtin', name: 'run' },
  ...MAKE,
  ...more,
});

describe('a command criterion', () => {
  it('is met by a receipt of exactly that command in exactly that directory, bound to the task, that exited with 0', async () => {
    const all = await stage.scene(runs());
    expect(await stage.unmetBy(all, await stage.run(all.agent, 'run', { ...MAKE, verbose: true }))).toEqual([]);
    const { body } = await all.planner.idle('tasks/t1/complete', { met: [{ criterionId: 'c1', evidenceId: 'e1' }] });
    expect(body.task).toMatchObject({ status: 'succeeded', criteria: [{ id: 'c1', kind: 'command', metBy: 'e1' }] });
  });

  it('given as a list of arguments is another command than the same as a line', async () => {
    const all = await stage.scene(runs({ command: ['make', 'test'] }));
    expect(await stage.unmetBy(all, await stage.run(all.agent, 'run', MAKE))).toEqual(['command_differs']);
    const list = await stage.scene(runs({ command: ['make', 'test'] }));
    expect(await stage.unmetBy(list, await stage.run(list.agent, 'run', { ...MAKE, command: ['make', 'test'] }))).toEqual([]);
  });

  it.each([
    'echo make test',
    'make test || true',
    'make  test',
    'MAKE TEST',
    'make test && rm -r x',
    ' make test',
    'make test\n',
    'make tést',
  ])('is not met by %j (case 35)', async (command) => {
    const all = await stage.scene(runs());
    expect(await stage.unmetBy(all, await stage.run(all.agent, 'run', { ...MAKE, command }))).toEqual(['command_differs']);
  });

  it.each([
    ['another directory', 'run', { ...MAKE, cwd: '/w/' }, ok, ['command_differs']],
    ['no directory', 'run', { command: 'make test' }, ok, ['command_differs']],
    ['another tool', 'grep', MAKE, ok, ['command_differs']],
    ['a tool that nobody registered', 'shell', MAKE, ok, ['not_a_command']],
    ['an exit with 3 and the text ok (case 31)', 'run', MAKE, { status: 'failed', exitCode: 3 }, ['not_succeeded']],
    ['no exit code', 'run', MAKE, { status: 'succeeded' }, ['exit_status']],
    ['a timeout', 'run', MAKE, { status: 'timed_out', exitCode: 0 }, ['not_succeeded']],
    ['what was not text', 'run', { ...MAKE, command: 5 }, ok, ['not_a_command']],
  ] as const)('is not met by %s', async (_name, tool, args, outcome, codes) => {
    const all = await stage.scene(runs());
    expect(await stage.unmetBy(all, await stage.run(all.agent, tool, args, outcome))).toEqual(codes);
  });

  it('needs the exit code 0 also of a tool for which others count as success', async () => {
    const all = await stage.scene(runs({ tool: { source: 'builtin', name: 'grep' } }));
    const found = await stage.run(all.agent, 'grep', MAKE, { status: 'failed', exitCode: 1 });
    expect(found.call.status).toBe('succeeded');
    expect(await stage.unmetBy(all, found)).toEqual(['exit_status']);
  });

  it('goes stale when something is changed afterwards, and only then (case 36)', async () => {
    const { planner, agent } = await stage.scene(runs());
    const record = async (evidenceId: string): Promise<readonly string[]> => {
      const { call } = await stage.run(agent, 'run', MAKE);
      await planner.post('evidence', { evidenceId, taskId: 't1', criterionId: 'c1', receiptId: call.receiptId });
      return unmetNow(evidenceId);
    };
    // Judged without completing: a second criterion that nothing meets.
    const unmetNow = async (evidenceId: string): Promise<readonly string[]> =>
      (await planner.idle('tasks/t1/complete', { met: [{ criterionId: 'c1', evidenceId }], acceptance: 'x' })).body.unmet?.map(
        ({ code }) => code,
      ) ?? [];
    expect(await record('e1')).toEqual(['acceptance_not_needed']);
    await stage.run(agent, 'read_file', { path: 'a' });
    await stage.run(agent, 'write_file', { path: 'a', content: 'b' }, ok, 't2');
    await stage.run(agent, 'run', MAKE);
    expect(await unmetNow('e1')).toEqual(['acceptance_not_needed']);
    await stage.run(agent, 'write_file', { path: 'a', content: 'c' }, { status: 'failed', exitCode: 1 });
    expect(await unmetNow('e1')).toEqual(['stale', 'acceptance_not_needed']);
    expect(await record('e2')).toEqual(['acceptance_not_needed']);
    const last = await stage.run(agent, 'write_file', { path: 'elsewhere', content: 'd' }, ok, null);
    expect(await unmetNow('e2')).toEqual(['stale', 'acceptance_not_needed']);
    expect((await planner.read('t1', last.position)).evidence.map(({ evidenceId, stale }) => [evidenceId, stale])).toEqual([
      ['e1', true],
      ['e2', true],
    ]);
  });

  it('is not met by what was proven before the task was reopened', async () => {
    const all = await stage.scene(runs());
    expect(await stage.unmetBy(all, await stage.run(all.agent, 'run', MAKE))).toEqual([]);
    await all.planner.post('tasks/t1/reopen', { reason: 'again' });
    await all.planner.post('tasks/t1/start', { reason: 'again' });
    expect(await stage.unmet(all.planner, [{ criterionId: 'c1', evidenceId: 'e1' }])).toEqual(['stale']);
  });
});

describe('an effect criterion', () => {
  const file = { id: 'c1', kind: 'effect', path: 'out.txt', sha256: sha('hello\n') };
  const observe = (text: string, more: Record<string, unknown> = {}): object => ({
    method: 'content_digest',
    observer: 'runtime',
    exists: true,
    sha256: sha(text),
    bytes: text.length,
    ...more,
  });

  /** Writes, and says what was found before and after. */
  async function write(agent: Agent, args: unknown, observation: object | null, before?: object): Promise<CallAnswer> {
    const asked = await stage.ask(agent, 'write_file', args);
    const attempt = randomUUID();
    const path = `/v1/sessions/${agent.sessionId}/tool-calls/${asked.call.receiptId}`;
    await stage.http.call('POST', `${path}/dispatch`, {
      attempt,
      operationId: asked.call.operationId,
      ...(before === undefined ? {} : { before }),
    });
    return stage.http.call('POST', `${path}/result`, {
      attempt,
      outcome: ok,
      output: 'ok',
      ...(observation === null ? {} : { observation }),
    });
  }

  const verification = async (answer: CallAnswer): Promise<ReceiptDocument['verification']> =>
    (
      await stage.http.call<ReceiptDocument>('GET', `/v1/receipts/${answer.call.receiptId}`, undefined, {
        'counterfoil-min-position': answer.position,
      })
    ).verification;

  it('is met by a write whose content was verified', async () => {
    const all = await stage.scene(file);
    const answer = await write(all.agent, { path: 'out.txt', content: 'hello\n' }, observe('hello\n'), { exists: false });
    expect(await verification(answer)).toMatchObject({ state: 'verified', method: 'content_digest', change: 'changed' });
    expect(await stage.unmetBy(all, answer)).toEqual([]);
  });

  it.each([
    ['other content was found than was to be written (case 34)', observe('other'), undefined, 'failed', null, ['not_verified']],
    ['the file is not there', { ...observe(''), exists: false, sha256: undefined }, undefined, 'failed', null, ['not_verified']],
    [
      'only its existence was observed',
      { method: 'exists', observer: 'runtime', exists: true },
      undefined,
      'unavailable',
      null,
      ['not_verified'],
    ],
    ['nothing was observed', null, undefined, 'unavailable', null, ['not_verified']],
    ['it was there before, unchanged', observe('hello\n'), { exists: true, sha256: sha('hello\n'), bytes: 6 }, 'verified', 'unchanged', []],
    ['nobody looked before', observe('hello\n'), undefined, 'verified', 'unknown', []],
  ] as const)('when %s', async (_name, observation, before, state, change, codes) => {
    const all = await stage.scene(file);
    const answer = await write(all.agent, { path: 'out.txt', content: 'hello\n' }, observation, before);
    expect(answer.call.status).toBe('succeeded');
    expect(await verification(answer)).toMatchObject({ state, change });
    expect(await stage.unmetBy(all, answer)).toEqual(codes);
  });

  it('is not met by another file, nor by another content than it names', async () => {
    const other = await stage.scene(file);
    const path = await write(other.agent, { path: './out.txt', content: 'hello\n' }, observe('hello\n'));
    expect(await stage.unmetBy(other, path)).toEqual(['path_differs']);
    const content = await stage.scene(file);
    expect(await stage.unmetBy(content, await write(content.agent, { path: 'out.txt', content: 'x' }, observe('x')))).toEqual([
      'content_differs',
    ]);
  });

  it('is met by an observation of the content, until something may have changed it', async () => {
    const { planner, agent } = await stage.scene(file);
    await planner.post('evidence', { evidenceId: 'o1', taskId: 't1', observation: { path: 'out.txt', ...observe('hello\n') } });
    await stage.run(agent, 'write_file', { path: 'b', content: 'x' });
    expect(await stage.unmet(planner, [{ criterionId: 'c1', evidenceId: 'o1' }])).toEqual(['stale']);
    await planner.post('evidence', { evidenceId: 'o2', taskId: 't1', observation: { path: 'out.txt', ...observe('bye') } });
    expect(await stage.unmet(planner, [{ criterionId: 'c1', evidenceId: 'o2' }])).toEqual(['content_differs']);
    await planner.post('evidence', { evidenceId: 'o3', taskId: 't1', observation: { path: 'out.txt', ...observe('hello\n') } });
    expect(await stage.unmet(planner, [{ criterionId: 'c1', evidenceId: 'o3' }])).toEqual([]);
  });

  it('leaves no plain digest of content behind', async () => {
    const { planner, agent } = await stage.scene(file);
    await write(agent, { path: 'out.txt', content: 'hello\n' }, observe('hello\n'), { exists: true, sha256: sha('old'), bytes: 3 });
    await planner.post('evidence', { evidenceId: 'o1', taskId: 't1', observation: { path: 'out.txt', ...observe('hello\n') } });
    const stored: string[] = [];
    for await (const event of stage.running.ledger.store.readStream(`session-default/${planner.sessionId}`))
      stored.push(JSON.stringify(event.data));
    expect(stored.join('\n')).not.toContain(sha('old'));
    expect(stored.join('\n')).not.toContain(sha('hello\n'));
  });
});
