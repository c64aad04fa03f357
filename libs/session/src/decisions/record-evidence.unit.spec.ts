import {
  activatePlan,
  after,
  APPROVER,
  cancelToolCall,
  changeTask,
  closePlan,
  denyApproval,
  dispatchToolCall,
  freeText,
  givenOpened,
  observeToolCall,
  played,
  receiptIdFor,
  recordEvidence,
  reportResult,
  requestToolCall,
  stateAfter,
  sweep,
  taskPlan,
  type GivenSession,
  type Play,
} from '@counterfoil/testing';
import { evidenceView } from '../task.js';

const active = played(givenOpened(), activatePlan({ tasks: [taskPlan('t1'), taskPlan('t2')] }));
const requested = played(active, requestToolCall({ taskId: 't1' }));
const dispatched = played(requested, dispatchToolCall());
const done = played(dispatched, reportResult());
const FAKE_TOKEN = 'sk-FAKE1a2B3c4D5e6F7g8H';

describe('evidence from a receipt', () => {
  it('names task and receipt, and rests on the dispatch of the call', () => {
    const given = done.when(recordEvidence()).then({
      type: 'EvidenceRecorded',
      data: {
        planId: 'p1',
        taskId: 't1',
        evidenceId: 'e1',
        criterionId: null,
        source: { kind: 'receipt', receiptId: receiptIdFor() },
        facts: { status: 'succeeded', exitCode: null, commandFingerprint: null, verification: 'unavailable' },
        since: '3',
      },
    });
    expect(evidenceView(stateAfter(given.events), 'e1')).toEqual({
      evidenceId: 'e1',
      planId: 'p1',
      taskId: 't1',
      criterionId: null,
      kind: 'receipt',
      stale: false,
    });
  });

  it('is the same again, and a conflict with other content, also after its plan was closed', () => {
    const recorded = played(done, recordEvidence());
    recorded.when(recordEvidence()).thenNothing();
    recorded.when(recordEvidence({ criterionId: 'c1' })).thenRefused('evidence_conflict');
    const closed = played(recorded, closePlan());
    closed.when(recordEvidence()).thenNothing();
    // A retry is answered although the plan is gone.
    expect(evidenceView(stateAfter(closed.events), 'e1')).toMatchObject({ evidenceId: 'e1', planId: 'p1', stale: true });
    closed.when(recordEvidence({ criterionId: 'c1' })).thenRefused('evidence_conflict');
    closed.when(recordEvidence({ evidenceId: 'e2' })).thenRefused('plan_not_active');
  });

  it.each<[string, GivenSession, string]>([
    ['only requested', requested, 'evidence_unusable'],
    ['in flight', dispatched, 'evidence_unusable'],
    ['unknown', played(dispatched, [sweep(), after(60)]), 'evidence_unusable'],
    ['unknown, with a late result (promise 20)', played(dispatched, [sweep(), after(60)], reportResult()), 'evidence_unusable'],
    ['cancelled, with a late result', played(requested, cancelToolCall(), reportResult()), 'evidence_unusable'],
    ['bound to no task (promise 13)', played(active, requestToolCall(), dispatchToolCall(), reportResult()), 'evidence_unusable'],
    ['bound to another task', played(active, requestToolCall({ taskId: 't2' }), dispatchToolCall(), reportResult()), 'evidence_unusable'],
    ['rejected', played(active, requestToolCall({ taskId: 't9' })), 'evidence_unusable'],
    ['bound to a task of the plan before', played(done, activatePlan({ planId: 'p2' })), 'evidence_unusable'],
    ['reported afterwards', played(active, observeToolCall({ taskId: 't1' })), 'evidence_unusable'],
    ['of nobody', active, 'not_found'],
  ])('is refused when the call is %s', (_, given, code) => {
    given.when(recordEvidence()).thenRefused(code);
  });

  it('is refused when the call was denied (case 37)', () => {
    const waiting = played(active, requestToolCall({ taskId: 't1', requireApproval: true }));
    played(waiting, [denyApproval(), { principal: APPROVER }])
      .when(recordEvidence())
      .thenRefused('evidence_unusable');
  });

  it('is refused for a task that has ended, a criterion that it has not, and a task that is not there', () => {
    played(done, changeTask('cancel')).when(recordEvidence()).thenRefused('task_state');
    done.when(recordEvidence({ criterionId: 'c9' })).thenRefused('evidence_unusable');
    done.when(recordEvidence({ taskId: 't9' })).thenRefused('not_found');
  });

  it('is bounded in number', () => {
    const many: Play[] = Array.from({ length: 500 }, (_, n) => recordEvidence({ evidenceId: `n${String(n)}` }));
    const full = played(done, ...many);
    full.when(recordEvidence({ evidenceId: 'one-more' })).thenRefused('evidence_full');
    full.when(recordEvidence({ evidenceId: 'n0' })).thenNothing();
  });
});

describe('evidence from elsewhere', () => {
  const observation = recordEvidence({
    source: {
      kind: 'observation',
      path: `/w/password=${FAKE_TOKEN}`,
      state: { exists: true, sha256: 'c'.repeat(64), bytes: 3 },
      method: 'content_digest',
      observer: 'runtime',
    },
  });

  it('is an observation, redacted and with its digest keyed', () => {
    const given = active.when(observation).then({
      type: 'EvidenceRecorded',
      data: { source: { kind: 'observation' }, since: null, facts: { status: null, verification: null } },
    });
    const stored = JSON.stringify(given.events);
    expect(stored).not.toContain('FAKE1a2B');
    expect(stored).not.toContain('c'.repeat(64));
    given.when(observation).thenNothing();
  });

  it('is an attestation of a person, with the roles of its key', () => {
    const attesting = recordEvidence({ source: { kind: 'attestation', statement: freeText('I looked') } });
    active.when(attesting).thenRefused('attestation_needs_person');
    const by = { principal: APPROVER, roles: ['approver', 'auditor'] } as const;
    const given = active.when(attesting, by).then({
      type: 'EvidenceRecorded',
      data: { source: { kind: 'attestation', by: APPROVER, roles: ['approver', 'auditor'], statement: { json: '"I looked"' } } },
    });
    given.when(attesting, by).thenNothing();
    given.when(attesting, { ...by, principal: 'person:second' }).thenRefused('evidence_conflict');
  });

  it('takes no secret as its id', () => {
    active.when({ ...observation, evidenceId: FAKE_TOKEN }).thenRefused('identifier_is_secret');
  });

  it('becomes stale by what is observed afterwards', () => {
    const later = played(active, observation, observeToolCall());
    expect(evidenceView(stateAfter(later.events), 'e1')).toMatchObject({ stale: true });
  });
});
