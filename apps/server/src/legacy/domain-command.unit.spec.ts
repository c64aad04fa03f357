import { readBody } from '@counterfoil/canonical';
import { LegacyExecutionBody } from '@counterfoil/contracts';
import { toolNamed } from '@counterfoil/history';
import { COMMAND_TOOLS, type ReportLegacyExecution } from '@counterfoil/session';
import { toLegacyReport } from './domain-command.js';
import { LEGACY_RAW } from './raw-members.js';

const parse = (body: object) =>
  LegacyExecutionBody.safeParse(readBody(new TextEncoder().encode(JSON.stringify(body)), { raw: LEGACY_RAW, maxDepth: 32 }));
const report = (body: object): ReportLegacyExecution => toLegacyReport(parse({ action: 'read_file', success: true, ...body }).data!);

describe('the body of an old runtime', () => {
  it('needs an action and its flag, and no more', () => {
    expect(report({})).toEqual({
      type: 'ReportLegacyExecution',
      turn: 'legacy',
      action: 'read_file',
      toolName: 'read_file',
      args: null,
      argsText: '',
      arguments: { ok: true, text: 'null', canonical: 'null' },
      result: null,
      success: true,
      ...Object.fromEntries(
        'authorized startedAt completedAt receiptId operationId failure exitCode signal verifiedEffect acceptance taskId planId generation'
          .split(' ')
          .map((key) => [key, null]),
      ),
    });
    for (const body of [{ action: 'x' }, { success: true }, { action: '', success: true }, { action: ' ', success: true }])
      expect(parse(body).success).toBe(false);
  });

  it('says the same with null as with nothing', () => {
    const nothing = Object.fromEntries(
      'args result authorized startedAt completedAt receiptId operationId failure exitCode verifiedEffect acceptance taskId planId generation'
        .split(' ')
        .map((key) => [key, null]),
    );
    expect(report(nothing)).toEqual(report({}));
    expect(report({ success: null }).success).toBeNull();
  });

  it('has no place for a native id, nor for anything that grants', () => {
    for (const key of [
      'callId',
      'callIdSource',
      'call_id',
      'receipt_id',
      'args_sha256',
      'approvalId',
      'attempt',
      'outcome',
      'tool',
      'sideEffects',
    ])
      expect(parse({ action: 'x', success: true, [key]: 'native' }).error?.issues).toMatchObject([
        { code: 'unrecognized_keys', keys: [key] },
      ]);
  });

  it('takes texts where there are texts', () => {
    for (const key of ['result', 'verifiedEffect', 'acceptance'])
      for (const value of [1, true, {}, [], ['x']]) expect(parse({ action: 'x', success: true, [key]: value }).success).toBe(false);
    expect(report({ result: 'x', acceptance: 'y' })).toMatchObject({ result: { kind: 'json', text: '"x"' }, acceptance: { text: '"y"' } });
  });

  it('takes ids of any text up to 480 characters, and times with six digits', () => {
    const ids = { receiptId: 'x'.repeat(480), operationId: '日本 🙂', taskId: 'any task at all' };
    expect(report({ ...ids, startedAt: '2026-11-30T13:23:40.917135+00:00' })).toMatchObject(ids);
    for (const key of ['receiptId', 'operationId', 'taskId'])
      for (const id of ['', 'x'.repeat(481), 7]) expect(parse({ action: 'x', success: true, [key]: id }).success).toBe(false);
  });

  it('tells the signal by which a command was ended from its exit code', () => {
    expect(report({ exitCode: -15 })).toMatchObject({ exitCode: -15, signal: 'SIGTERM' });
    expect(report({ exitCode: 143 })).toMatchObject({ exitCode: 143, signal: null });
  });

  it('names its tool by the old tools’ aliases, and keeps the action as it came', () => {
    expect(report({ action: 'exec', args: 'ls' })).toMatchObject({
      action: 'exec',
      toolName: 'run_cmd',
      argsText: 'ls',
      arguments: { canonical: '{"command":"ls"}' },
    });
    expect(report({ action: 'push' })).toMatchObject({ action: 'push', toolName: 'git_push' });
    // Exactly, and case-sensitively.
    expect(report({ action: 'Exec' }).toolName).toBe('Exec');
    expect(report({ action: ' bash ' }).toolName).toBe('run_cmd');
  });
});

it('the names by which only tools knew a command are names by which they did', () => {
  for (const name of COMMAND_TOOLS) expect([name, toolNamed(name)]).toEqual([name, 'run_cmd']);
});
