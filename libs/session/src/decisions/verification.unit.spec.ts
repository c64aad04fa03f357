import { fileDigest, sha256Hex } from '@counterfoil/canonical';
import type { OutcomeStatus, ToolSpec } from '@counterfoil/contracts';
import {
  directoryOf,
  dispatchToolCall,
  FINGERPRINT_KEY,
  givenOpened,
  operationIdFor,
  played,
  receiptIdFor,
  reportResult,
  requestToolCall,
  runArguments,
  runSpec,
  toolSpec,
  type GivenSession,
  type ReportChange,
} from '@counterfoil/testing';
import type { FileState } from '../commands.js';

const CONTENT = 'alpha';
const shaOf = (text: string): string => sha256Hex(new TextEncoder().encode(text));
const file = (text: string): FileState => ({ exists: true, sha256: shaOf(text), bytes: text.length });
const ABSENT: FileState = { exists: false, sha256: null, bytes: null };

/** A call of a registered tool that was dispatched. */
function dispatched(spec: ToolSpec, args: string, before: FileState | null = null): GivenSession {
  const registry = directoryOf({ tools: [spec] });
  const tool = { source: spec.source, name: spec.name };
  return played(
    givenOpened(),
    [requestToolCall({ tool: { ...tool, declared: null }, args }), { registry }],
    [dispatchToolCall({ operationId: operationIdFor(args, tool), before }), { registry }],
  );
}

const observed = (state: FileState, method = 'content_digest'): ReportChange => ({
  observation: { ...state, method, observer: 'runtime' },
});

function expectVerified(given: GivenSession, report: ReportChange, verification: object): void {
  given.when(reportResult(report)).then({ type: 'ToolExecuted', data: { verification } });
}

const WRITE = '{"path":"a.txt","content":"alpha"}';

describe('a file write', () => {
  const written = (before: FileState | null = ABSENT) => dispatched(toolSpec(), WRITE, before);

  it('expects the content of the arguments, as a keyed digest', () => {
    written()
      .when(reportResult(observed(file(CONTENT))))
      .then({
        data: {
          verification: {
            state: 'verified',
            expected: { json: expect.stringContaining(fileDigest(FINGERPRINT_KEY, shaOf(CONTENT))) as unknown },
          },
        },
      });
    expect(JSON.stringify(written().events)).not.toContain(shaOf(CONTENT));
  });

  it.each<[string, FileState | null, string]>([
    ['it was not there before', ABSENT, 'changed'],
    ['it had other content', file('beta'), 'changed'],
    ['it was there before (case 34)', file(CONTENT), 'unchanged'],
    ['nobody looked before', null, 'unknown'],
    ['only its existence was seen before', { exists: true, sha256: null, bytes: null }, 'unknown'],
  ])('with that content is verified; where %s it is %#', (_, before, change) => {
    expectVerified(written(before), observed(file(CONTENT)), { state: 'verified', method: 'content_digest', change });
  });

  it.each<[string, ReportChange, string]>([
    ['other content', observed(file('alphA')), 'failed'],
    ['the content with another newline', observed(file('alpha\n')), 'failed'],
    ['no file', observed(ABSENT), 'failed'],
    ['a file or a folder, unread', observed({ exists: true, sha256: null, bytes: 5 }), 'unavailable'],
    ['a digest by another method', observed(file(CONTENT), 'listing'), 'unavailable'],
    ['that content at another length, which can not be', observed({ ...file(CONTENT), bytes: 999 }), 'unavailable'],
    ['nothing', {}, 'unavailable'],
  ])('after which there is %s is not verified', (_, report, state) => {
    expectVerified(written(), report, { state, change: null });
  });

  it('is judged apart from the outcome, which stays as the tool says', () => {
    written()
      .when(reportResult({ ...observed(file('beta')), outcome: { status: 'succeeded' } }))
      .then({ data: { outcome: { status: 'succeeded' }, verification: { state: 'failed' } } });
    written()
      .when(reportResult({ ...observed(file(CONTENT)), outcome: { status: 'failed' } }))
      .then({ data: { outcome: { status: 'failed' }, verification: { state: 'verified' } } });
  });

  it.each([
    ['empty', ''],
    ['with CRLF', 'a\r\nb'],
    ['with emoji', '\u{1f600}'],
    ['with NUL', 'a\u0000b'],
  ])('%s is verified by its UTF-8 bytes', (_, content) => {
    const given = dispatched(toolSpec(), JSON.stringify({ path: 'a', content }), ABSENT);
    expectVerified(given, observed({ exists: true, sha256: shaOf(content), bytes: null }), { state: 'verified', change: 'changed' });
  });

  it.each(['{"path":"a.txt"}', '{"path":1,"content":"x"}', '{"content":"x"}', '{"path":"a","content":{}}', '[]', 'null'])(
    'whose arguments %s don’t say what is to be there is unavailable',
    (args) => {
      expectVerified(dispatched(toolSpec(), args), observed(file('x')), { state: 'unavailable' });
    },
  );

  it('finds what its pointers name, own members only', () => {
    const effect = { kind: 'file_write', path: '/a~1b/0', content: '/__proto__/~0' } as const;
    const args = '{"a/b":["p"],"__proto__":{"~":"alpha"}}';
    expectVerified(dispatched(toolSpec({ effect }), args), observed(file(CONTENT)), { state: 'verified' });
    const inherited = toolSpec({ effect: { kind: 'file_write', path: '/constructor/name', content: '/x' } });
    expectVerified(dispatched(inherited, '{"x":"alpha"}'), observed(file(CONTENT)), { state: 'unavailable' });
  });
});

describe('a command', () => {
  const ran = (spec: ToolSpec = runSpec()) => dispatched(spec, runArguments('make'));
  const exited = (
    exitCode: number | null,
    change: Partial<{ signal: string; status: OutcomeStatus; text: string }> = {},
  ): ReportChange => ({
    outcome: { status: change.status ?? 'succeeded', exitCode, signal: change.signal ?? null },
    output: { kind: 'json', text: JSON.stringify(change.text ?? '') },
  });

  it.each<[string, ReportChange, string]>([
    ['exits with 0 and says “Error” (case 31)', exited(0, { text: 'Error: not found' }), 'verified'],
    ['exits with 3 and says “ok”', exited(3, { text: 'ok' }), 'failed'],
    ['exits with 127', exited(127), 'failed'],
    ['has no exit code, however successful it looks', exited(null, { text: 'all tests passed' }), 'unavailable'],
    ['ends by a signal', exited(0, { signal: 'SIGKILL' }), 'unavailable'],
    ['times out', exited(0, { status: 'timed_out' }), 'unavailable'],
    ['is interrupted', exited(0, { status: 'interrupted' }), 'unavailable'],
  ])('that %s is judged by its exit status alone', (_, report, state) => {
    expectVerified(ran(), report, { state });
  });

  it('is judged by the exit codes that its tool declares: these win, and a disagreement is marked', () => {
    const grep = ran(runSpec({ successExitCodes: [0, 1] }));
    grep.when(reportResult(exited(1, { status: 'failed' }))).then({
      data: { outcome: { status: 'succeeded', reportedStatus: 'failed', exitCode: 1 }, verification: { state: 'verified' } },
    });
    grep.when(reportResult(exited(2, { status: 'succeeded' }))).then({
      data: { outcome: { status: 'failed', reportedStatus: 'succeeded', exitCode: 2 }, verification: { state: 'failed' } },
    });
    const agreeing = grep.when(reportResult(exited(0))).then({ data: { outcome: { status: 'succeeded' } } });
    expect(JSON.stringify(agreeing.events.at(-1))).not.toContain('reportedStatus');
    const stopped = grep.when(reportResult(exited(0, { status: 'timed_out' }))).then({ data: { outcome: { status: 'timed_out' } } });
    expect(JSON.stringify(stopped.events.at(-1))).not.toContain('reportedStatus');
  });

  it('keeps the exit code as a fact where the tool declares none (case 31)', () => {
    ran(runSpec({ effect: null }))
      .when(reportResult(exited(1, { status: 'succeeded' })))
      .then({ data: { outcome: { status: 'succeeded', exitCode: 1 }, verification: { state: 'unavailable' } } });
  });

  it('may be a list of its arguments, with no working directory', () => {
    const args = '{"command":["make","-j"],"cwd":null}';
    expectVerified(dispatched(runSpec(), args), exited(0), { state: 'verified' });
    expectVerified(dispatched(runSpec(), '{"command":["make",1]}'), exited(0), { state: 'unavailable' });
    expectVerified(dispatched(runSpec(), '{"command":"make","cwd":7}'), exited(0), { state: 'unavailable' });
  });
});

describe('a tool without an effect mapping', () => {
  it('is not applicable if it only reads, and unavailable if it does anything else (promise 19)', () => {
    const plain = (sideEffects: ToolSpec['sideEffects']) => dispatched(toolSpec({ sideEffects, effect: null }), WRITE);
    expectVerified(plain('read_only'), observed(file(CONTENT)), { state: 'not_applicable' });
    for (const sideEffects of ['filesystem', 'process', 'remote', 'destructive', 'internal'] as const) {
      expectVerified(plain(sideEffects), observed(file(CONTENT)), { state: 'unavailable' });
    }
  });

  it('is unavailable if it is not registered, whatever the client declares', () => {
    const tool = { source: 'mcp:files', name: 'read_file', declared: '{"sideEffects":"read_only","effect":null}' };
    const args = '{"path":"a"}';
    const given = played(givenOpened(), requestToolCall({ tool, args }), dispatchToolCall({ operationId: operationIdFor(args, tool) }));
    given.when(reportResult({ receiptId: receiptIdFor() })).then({ data: { verification: { state: 'unavailable' } } });
  });
});
