import { admitArguments } from '@counterfoil/canonical';
import type { SideEffectClass } from '@counterfoil/contracts';
import {
  activatePlan,
  changeTask,
  codeOf,
  commandCriterion,
  completeTask,
  decisionContext,
  directoryOf,
  freeJson,
  givenOpened,
  played,
  recordEvidence,
  reportLegacyExecution,
  stateAfter,
  taskPlan,
  toolSpec,
  type GivenSession,
  type LegacyChange,
} from '@counterfoil/testing';
import { decide } from '../decide.js';
import { observedOf, ran, receiptId, runTool } from './testing/reported-calls.js';

describe('the tool of a reported call', () => {
  const verificationOf = (change: LegacyChange, registry = runTool()): unknown =>
    observedOf(given([ran('make', change), registry]))['verification'];
  const given = ([command, registry]: readonly [ReturnType<typeof ran>, ReturnType<typeof runTool>]): GivenSession =>
    played(givenOpened(), [command, { registry }]);

  it('has the class that it is registered with, and is destructive else', () => {
    const classOf = (sideEffects: SideEffectClass): unknown =>
      (given([ran('make'), runTool({ sideEffects })]).events.at(-2)?.data as { tool: { sideEffects: string } }).tool.sideEffects;
    for (const sideEffects of ['read_only', 'process', 'internal'] as const) expect(classOf(sideEffects)).toBe(sideEffects);
    givenOpened()
      .when(reportLegacyExecution())
      .then({ data: { tool: { sideEffects: 'destructive' } } }, {});
  });

  it('is measured by its own rules if it is registered: a command by its exit status', () => {
    expect(verificationOf({ exitCode: 0 })).toMatchObject({
      state: 'verified',
      method: 'exit_status',
      expected: { json: '{"exitCodes":[0]}' },
    });
    expect(verificationOf({ exitCode: 1 })).toMatchObject({ state: 'failed', method: 'exit_status' });
    for (const change of [{}, { exitCode: -9, signal: 'SIGKILL' }, { exitCode: 0, success: null }])
      expect(verificationOf(change)).toMatchObject({ state: 'unavailable', method: null });
    expect(verificationOf({ exitCode: 0 }, runTool({ effect: null }))).toMatchObject({ state: 'unavailable' });
    expect(verificationOf({ exitCode: 0 }, runTool({ effect: null, sideEffects: 'read_only' }))).toMatchObject({ state: 'not_applicable' });
    expect(verificationOf({ exitCode: 0 }, directoryOf({}))).toMatchObject({ state: 'unavailable', expected: null });
  });

  it('is not verified by a file that was there afterwards', () => {
    const registry = directoryOf({ tools: [toolSpec({ source: 'legacy', name: 'write_file' })] });
    const command = reportLegacyExecution({ action: 'write_file', verifiedEffect: freeJson('"file exists after write: /a"') });
    const write = { ...command, arguments: admitArguments('{"path":"a","content":"b"}') };
    expect(observedOf(played(givenOpened(), [write, { registry }]))['verification']).toMatchObject({ state: 'unavailable', after: null });
  });

  it('outdates the evidence of every task unless it only reads', () => {
    const outdates = (sideEffects: SideEffectClass): unknown => observedOf(given([ran('make'), runTool({ sideEffects })]))['outdates'];
    expect((['read_only', 'process', 'destructive'] as const).map(outdates)).toEqual(['nothing', 'session', 'session']);
  });
});

describe('what a reported call is inferred to belong to', () => {
  const plan = played(
    givenOpened(),
    activatePlan({ tasks: [taskPlan('t1', [commandCriterion('c1', 'npm test', null)])] }),
    changeTask('start'),
  );
  const report = ran('npm test', { exitCode: 0, planId: 'p1', acceptance: freeJson('"npm test"') });
  const registry = runTool();
  const inferred = plan
    .when(report, { registry })
    .then(
      { data: { association: { kind: 'inferred', taskId: 't1', basis: 'criterion_args' }, planId: null, taskId: null } },
      { data: { planId: null, taskId: null, outdates: 'session', verification: { state: 'verified' } } },
    );

  it('is not changed by it in any way', () => {
    const tasksOf = ({ events }: GivenSession): unknown => [...(stateAfter(events).plan?.tasks.entries() ?? [])];
    expect(JSON.stringify(tasksOf(inferred))).toBe(JSON.stringify(tasksOf(plan)));
  });

  it('takes no proof from it: not as evidence, not for its very command, not by its name', () => {
    const proof = recordEvidence({ source: { kind: 'receipt', receiptId } });
    for (const criterionId of [null, 'c1']) inferred.when({ ...proof, criterionId }).thenRefused('evidence_unusable');
    expect(codeOf(() => decide(stateAfter(inferred.events), proof, decisionContext()))).toBe('evidence_unusable');
    inferred.when(completeTask({ c1: 'e1' })).thenRefused('completion_unmet');
    inferred.when(completeTask({ c1: receiptId })).thenRefused('completion_unmet');
    const named = played(plan, { ...report, taskId: 't1' });
    named.when(proof).thenRefused('evidence_unusable');
  });
});
