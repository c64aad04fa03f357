import type { CriterionBody, Unmet } from '@counterfoil/contracts';
import {
  activatePlan,
  attemptOf,
  changeTask,
  commandCriterion,
  completeTask,
  directoryOf,
  dispatchToolCall,
  freeText,
  givenOpened,
  operationIdFor,
  played,
  receiptIdFor,
  recordEvidence,
  reportResult,
  requestToolCall,
  RUN,
  runArguments,
  runSpec,
  stateAfter,
  taskPlan,
  toolSpec,
  decisionContext,
  type GivenSession,
  type Play,
} from '@counterfoil/testing';
import { decide } from '../decide.js';
import { taskView } from '../task.js';
import { DomainError } from '@counterfoil/contracts';

const registry = directoryOf({ tools: [runSpec(), toolSpec(), toolSpec({ name: 'read', sideEffects: 'read_only', effect: null })] });
const SHA = 'a'.repeat(64);

/** A plan with one running task that is accepted by these criteria. */
const running = (...criteria: readonly CriterionBody[]): GivenSession =>
  played(givenOpened(), activatePlan({ tasks: [taskPlan('t1', criteria), taskPlan('t2', criteria)] }), changeTask('start'));

interface Run {
  readonly callId?: string;
  readonly command?: string;
  readonly cwd?: string;
  readonly taskId?: string | null;
  readonly exitCode?: number | null;
  readonly status?: 'succeeded' | 'failed' | 'timed_out';
}

/** A command that runs to its end. */
function run({ callId = 'run', command = 'npm test', cwd = '/w', taskId = 't1', exitCode = 0, status = 'succeeded' }: Run = {}): Play[] {
  const args = runArguments(command, cwd);
  const receiptId = receiptIdFor(callId);
  const attempt = attemptOf(Array.from(callId).reduce((sum, char) => sum + char.charCodeAt(0), 0));
  const request = requestToolCall({ callId, tool: { ...RUN, declared: null }, args, taskId });
  const dispatch = dispatchToolCall({ receiptId, attempt, operationId: operationIdFor(args, RUN) });
  const report = reportResult({ receiptId, attempt, outcome: { status, exitCode } });
  return [request, dispatch, report].map((command): Play => [command, { registry }]);
}

const evidence = (callId = 'run', evidenceId = 'e1') =>
  recordEvidence({ evidenceId, source: { kind: 'receipt', receiptId: receiptIdFor(callId) } });

function unmet(given: GivenSession, command = completeTask()): readonly string[] {
  try {
    decide(stateAfter(given.events), command, decisionContext());
  } catch (error) {
    if (!(error instanceof DomainError) || error.code !== 'completion_unmet') throw error;
    return (error.extensions['unmet'] as Unmet[]).map(({ criterionId, code }) => `${criterionId ?? 'task'} ${code}`);
  }
  return [];
}

describe('a command criterion', () => {
  const task = running(commandCriterion());

  it('is met by a receipt of exactly that command, bound to the task, that exited with 0', () => {
    const proven = played(task, ...run(), evidence());
    const done = proven.when(completeTask()).then({
      type: 'TaskSucceeded',
      data: { planId: 'p1', taskId: 't1', met: [{ criterionId: 'c1', evidenceId: 'e1' }], acceptance: null },
    });
    expect(taskView(stateAfter(done.events), 't1')).toMatchObject({ status: 'succeeded', criteria: [{ id: 'c1', metBy: 'e1' }] });
    done.when(completeTask()).thenNothing();
  });

  it('does not complete the task by itself: neither the receipt nor the evidence does', () => {
    const proven = played(task, ...run(), evidence());
    expect(taskView(stateAfter(proven.events), 't1')?.status).toBe('running');
  });

  it.each([
    'echo npm test',
    'npm test || true',
    'npm  test',
    'NPM TEST',
    'npm test && rm -r x',
    'npm test ',
    'npm test -k x',
    './npm test',
    'npm t\u0435st',
    "bash -c 'npm test'",
  ])('is not met by %j (case 35)', (command) => {
    expect(unmet(played(task, ...run({ command }), evidence()))).toEqual(['c1 command_differs']);
  });

  it('is not met in another working directory, nor without the one it names', () => {
    expect(unmet(played(task, ...run({ cwd: '/w/' }), evidence()))).toEqual(['c1 command_differs']);
    const anywhere = running(commandCriterion('c1', 'npm test', null));
    expect(unmet(played(anywhere, ...run(), evidence()))).toEqual(['c1 command_differs']);
  });

  it('is not met by a run that did not exit with 0, whatever is said of it', () => {
    expect(unmet(played(task, ...run({ exitCode: 1, status: 'failed' }), evidence()))).toEqual(['c1 not_succeeded']);
    expect(unmet(played(task, ...run({ exitCode: 1, status: 'succeeded' }), evidence()))).toEqual(['c1 exit_status']);
    expect(unmet(played(task, ...run({ exitCode: null }), evidence()))).toEqual(['c1 exit_status']);
    expect(unmet(played(task, ...run({ exitCode: 0, status: 'timed_out' }), evidence()))).toEqual(['c1 not_succeeded']);
  });

  it('is not met by a run that a signal ended, whatever code is reported with it', () => {
    const [request, dispatch] = run();
    const report: Play = [
      reportResult({ receiptId: receiptIdFor('run'), attempt: attemptOf(341), outcome: { exitCode: 0, signal: 'SIGKILL' } }),
      { registry },
    ];
    if (request === undefined || dispatch === undefined) throw new Error('a run has three steps');
    expect(unmet(played(task, request, dispatch, report, evidence()))).toEqual(['c1 exit_status']);
  });

  it('is not met by a tool that the ledger does not know as one that runs commands', () => {
    const args = runArguments('npm test');
    const request = requestToolCall({ callId: 'run', tool: { ...RUN, declared: null }, args, taskId: 't1' });
    const dispatch = dispatchToolCall({ receiptId: receiptIdFor('run'), operationId: operationIdFor(args, RUN) });
    const report = reportResult({ receiptId: receiptIdFor('run'), outcome: { exitCode: 0 } });
    expect(unmet(played(task, request, dispatch, report, evidence()))).toEqual(['c1 not_a_command']);
  });

  it('is not met by an observation or an attestation', () => {
    const observed = recordEvidence({
      source: {
        kind: 'observation',
        path: 'a',
        state: { exists: true, sha256: SHA, bytes: 1 },
        method: 'content_digest',
        observer: 'runtime',
      },
    });
    expect(unmet(played(task, observed))).toEqual(['c1 not_a_receipt']);
    const attested: Play = [
      recordEvidence({ source: { kind: 'attestation', statement: freeText('I saw it') } }),
      { principal: 'person:x', roles: ['approver'] },
    ];
    expect(unmet(played(task, attested))).toEqual(['c1 not_a_receipt']);
  });
});

describe('evidence, one for one', () => {
  const two = running(commandCriterion('c1'), commandCriterion('c2', 'npm run lint'));

  it('is needed for each criterion', () => {
    const one = played(two, ...run(), evidence());
    expect(unmet(one)).toEqual(['c2 missing']);
    expect(unmet(one, completeTask({}))).toEqual(['c1 missing', 'c2 missing']);
    const both = played(one, ...run({ callId: 'lint', command: 'npm run lint' }), evidence('lint', 'e2'));
    both.when(completeTask({ c1: 'e1', c2: 'e2' })).then({ type: 'TaskSucceeded' });
    expect(unmet(both, completeTask({ c1: 'e2', c2: 'e1' }))).toEqual(['c1 command_differs', 'c2 command_differs']);
  });

  it('meets one criterion, not two of the same words', () => {
    const same = played(running(commandCriterion('c1'), commandCriterion('c2')), ...run(), evidence());
    expect(unmet(same, completeTask({ c1: 'e1', c2: 'e1' }))).toEqual(['c1 used_twice', 'c2 used_twice']);
    const renamed = played(same, evidence('run', 'e2'));
    expect(unmet(renamed, completeTask({ c1: 'e1', c2: 'e2' }))).toEqual(['c1 used_twice', 'c2 used_twice']);
    const again = played(same, ...run({ callId: 'again' }), evidence('again', 'e3'));
    again.when(completeTask({ c1: 'e1', c2: 'e3' })).then({ type: 'TaskSucceeded' });
  });

  it('is not taken for a criterion that the task has not, nor for another than it was recorded for', () => {
    const named = played(two, ...run(), recordEvidence({ criterionId: 'c2', source: { kind: 'receipt', receiptId: receiptIdFor('run') } }));
    expect(unmet(named, completeTask({ c1: 'e1', c9: 'e1' }))).toEqual(['c9 unknown_criterion', 'c1 used_twice', 'c2 missing']);
    expect(unmet(named, completeTask({ c1: 'e1', c2: 'e9' }))).toEqual(['c1 other_criterion', 'c2 unknown_evidence']);
  });

  it('is never named by what looks like a secret: the answer would quote it', () => {
    two.when(completeTask({ 'sk-FAKE1a2B3c4D5e6F7g8H': 'e1' })).thenRefused('identifier_is_secret');
  });

  it('of another task proves nothing', () => {
    const other = played(
      two,
      ...run({ taskId: 't2' }),
      recordEvidence({ taskId: 't2', source: { kind: 'receipt', receiptId: receiptIdFor('run') } }),
    );
    expect(unmet(other, completeTask({ c1: 'e1' }))).toEqual(['c1 other_task', 'c2 missing']);
  });

  it('makes no acceptance good enough where there are criteria', () => {
    expect(unmet(two, completeTask({}, { acceptance: freeText('trust me') }))).toEqual([
      'c1 missing',
      'c2 missing',
      'task acceptance_not_needed',
    ]);
  });
});

describe('the other kinds of criteria', () => {
  const effect: CriterionBody = { id: 'c1', kind: 'effect', path: 'a.txt', sha256: SHA };
  const observation = (path: string, sha256: string | null, method = 'content_digest') =>
    recordEvidence({ source: { kind: 'observation', path, state: { exists: true, sha256, bytes: 1 }, method, observer: 'runtime' } });

  it('an effect is met by an observation of that content at that path', () => {
    played(running(effect), observation('a.txt', SHA)).when(completeTask()).then({ type: 'TaskSucceeded' });
    expect(unmet(played(running(effect), observation('./a.txt', SHA)))).toEqual(['c1 path_differs']);
    expect(unmet(played(running(effect), observation('a.txt', 'b'.repeat(64))))).toEqual(['c1 content_differs']);
    expect(unmet(played(running(effect), observation('a.txt', null)))).toEqual(['c1 not_verified']);
    expect(unmet(played(running(effect), observation('a.txt', SHA, 'listing')))).toEqual(['c1 not_verified']);
  });

  it('an attestation is met by a person with the role', () => {
    const attested = (roles: readonly ('approver' | 'auditor')[]): Play => [
      recordEvidence({ source: { kind: 'attestation', statement: freeText('looked at it') } }),
      { principal: 'person:reviewer', roles },
    ];
    const task = running({ id: 'c1', kind: 'attestation', role: 'approver' });
    played(task, attested(['approver']))
      .when(completeTask())
      .then({ type: 'TaskSucceeded' });
    expect(unmet(played(task, attested(['auditor'])))).toEqual(['c1 role_missing']);
    expect(unmet(played(task, ...run(), evidence()))).toEqual(['c1 not_attested']);
  });

  it('words are met by any evidence that does not speak against itself', () => {
    const task = running({ id: 'c1', kind: 'evidence', description: 'somebody looked' });
    played(task, observation('anything', null)).when(completeTask()).then({ type: 'TaskSucceeded' });
    played(task, ...run(), evidence())
      .when(completeTask())
      .then({ type: 'TaskSucceeded' });
    expect(unmet(played(task, ...run({ status: 'failed', exitCode: 2 }), evidence()))).toEqual(['c1 not_succeeded']);
  });
});

describe('stale evidence', () => {
  const write = (callId: string, taskId: string | null): Play[] => {
    const args = `{"path":"a.txt","content":"${callId}"}`;
    const at = { receiptId: receiptIdFor(callId), attempt: attemptOf(callId.length + 40) };
    const asked = requestToolCall({ callId, args, taskId });
    return [asked, dispatchToolCall({ ...at, operationId: operationIdFor(args) })].map((command): Play => [command, { registry }]);
  };
  const task = running(commandCriterion(), commandCriterion('c2', 'npm run lint'));
  const proven = played(task, ...run(), evidence(), ...run({ callId: 'lint', command: 'npm run lint' }), evidence('lint', 'e2'));
  const complete = completeTask({ c1: 'e1', c2: 'e2' });

  it('is refused after a state-changing call of the task, or of none, whatever came of it (case 36)', () => {
    for (const taskId of ['t1', null]) {
      expect(unmet(played(proven, ...write('edit', taskId)), complete)).toEqual(['c1 stale', 'c2 stale']);
    }
    const failed: Play = reportResult({ receiptId: receiptIdFor('edit'), attempt: attemptOf(44), outcome: { status: 'failed' } });
    expect(unmet(played(proven, ...write('edit', 't1'), failed), complete)).toEqual(['c1 stale', 'c2 stale']);
  });

  it('is not made by runs of the task’s own commands, by calls of another task, nor by reading', () => {
    const read = requestToolCall({ callId: 'read', tool: { source: 'mcp:files', name: 'read', declared: null }, taskId: 't1' });
    const reading = dispatchToolCall({
      receiptId: receiptIdFor('read'),
      attempt: attemptOf(77),
      operationId: operationIdFor(undefined, { source: 'mcp:files', name: 'read' }),
    });
    const others = [...run({ callId: 'again' }), ...write('elsewhere', 't2'), [read, { registry }], [reading, { registry }]] as Play[];
    played(proven, ...others)
      .when(complete)
      .then({ type: 'TaskSucceeded' });
  });

  it('is made by another command of the task, and by the same command in no task', () => {
    expect(unmet(played(proven, ...run({ callId: 'other', command: 'ls' })), complete)).toEqual(['c1 stale', 'c2 stale']);
    expect(unmet(played(proven, ...run({ callId: 'unbound', taskId: null })), complete)).toEqual(['c1 stale', 'c2 stale']);
  });

  it('is fresh again only by a new run', () => {
    const edited = played(proven, ...write('edit', 't1'));
    expect(unmet(played(edited, evidence('run', 'e3'), evidence('lint', 'e4')), completeTask({ c1: 'e3', c2: 'e4' }))).toEqual([
      'c1 stale',
      'c2 stale',
    ]);
    const rerun = played(
      edited,
      ...run({ callId: 'r2' }),
      evidence('r2', 'e3'),
      ...run({ callId: 'l2', command: 'npm run lint' }),
      evidence('l2', 'e4'),
    );
    rerun.when(completeTask({ c1: 'e3', c2: 'e4' })).then({ type: 'TaskSucceeded' });
  });

  it('is what everything was before the task was reopened', () => {
    const reopened = played(proven, complete, changeTask('reopen'), changeTask('start'));
    expect(unmet(reopened, complete)).toEqual(['c1 stale', 'c2 stale']);
  });
});
