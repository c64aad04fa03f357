import { fileDigest } from '@counterfoil/canonical';
import { DomainError, EVIDENCE_PER_TASK, type EventData, type EvidenceFacts, type SessionEvent } from '@counterfoil/contracts';
import type { Call } from '../call.js';
import type { FreeInput, RecordEvidence } from '../commands.js';
import type { DecisionContext } from '../context.js';
import { pathFingerprint, saidFingerprint } from '../fingerprints.js';
import type { SessionState } from '../state.js';
import { isTerminal, type ActivePlan, type Task } from '../task.js';
import { CONTENT_DIGEST } from '../verification.js';
import { EVIDENCE_PER_SESSION, requireOpen, requireTask } from './plan-support.js';
import { event, fileStateInput, redact, refuseSecretIdentifiers, requireCall, requireSession } from './support.js';

type Recorded = EventData<'EvidenceRecorded'>;

/**
 * Records why a task's criterion should be taken as met. Whether it is, is judged when the task is completed; what could never be
 * evidence for the task (a call that is not bound to it, or has no result in time) is refused at once. The same again adds nothing.
 *
 * A receipt that ended a while ago must have been read back (`state.find`): whoever handles the command sees to that.
 *
 * @throws DomainError `not_found`, `session_closed`, `plan_not_active`, `task_state`, `evidence_conflict`, `evidence_unusable`,
 *   `evidence_full`, `attestation_needs_person`, `identifier_is_secret`
 */
export function recordEvidence(state: SessionState, command: RecordEvidence, context: DecisionContext): SessionEvent[] {
  requireSession(state);
  const fingerprint = fingerprintOf(command, context);
  const before = (state.evidence.get(command.evidenceId) ?? state.closedEvidence.get(command.evidenceId))?.fingerprint;
  if (before === fingerprint) return [];
  if (before !== undefined) throw new DomainError('evidence_conflict', 'The session has other evidence under this id.');
  const { plan, task } = requireTask(state, command);
  requireOpen(state);
  checkTask(state, task, command);
  const { source, facts, since, secrets } = sourceOf(state, plan, command, context);
  refuseSecretIdentifiers(context, [...state.known, ...secrets], { evidenceId: command.evidenceId });
  const { evidenceId, taskId, criterionId } = command;
  return [event('EvidenceRecorded', { planId: plan.planId, taskId, evidenceId, criterionId, source, facts, since, fingerprint, secrets })];
}

function checkTask(state: SessionState, task: Task, { criterionId }: RecordEvidence): void {
  if (isTerminal(task.status)) throw new DomainError('task_state', `The task is ${task.status}.`, { status: task.status });
  if (criterionId !== null && !task.criteria.some(({ id }) => id === criterionId)) {
    throw unusable('unknown_criterion', 'The task has no such criterion.');
  }
  const inSession = state.evidence.size + state.closedEvidence.size;
  if (task.evidence >= EVIDENCE_PER_TASK || inSession >= EVIDENCE_PER_SESSION) {
    throw new DomainError('evidence_full', 'The task, or the session, has taken all its evidence.');
  }
}

type Source = Pick<Recorded, 'source' | 'facts' | 'since' | 'secrets'>;

const NO_FACTS: EvidenceFacts = {
  status: null,
  exitCode: null,
  commandFingerprint: null,
  pathFingerprint: null,
  contentDigest: null,
  verification: null,
};

function sourceOf(state: SessionState, plan: ActivePlan, command: RecordEvidence, context: DecisionContext): Source {
  const { source } = command;
  if (source.kind === 'receipt') return fromReceipt(state, plan, command.taskId, source.receiptId);
  if (source.kind === 'attestation') return fromAttestation(state, source.statement, context);
  const { payloads, secrets } = redact(state, context, {
    observation: fileStateInput(context.key, source.state, { path: source.path, method: source.method, observer: source.observer }),
  });
  if (payloads.observation === null) throw new TypeError('the door gave no observation back');
  refuseSecretIdentifiers(context, [...state.known, ...secrets], { method: source.method, observer: source.observer });
  const { exists, sha256 } = source.state;
  const isContent = source.method === CONTENT_DIGEST && exists && sha256 !== null;
  return {
    source: { kind: 'observation', observation: payloads.observation },
    facts: {
      ...NO_FACTS,
      pathFingerprint: pathFingerprint(context.key, source.path),
      contentDigest: isContent ? fileDigest(context.key, sha256) : null,
    },
    since: null,
    secrets,
  };
}

function fromAttestation(state: SessionState, statement: FreeInput | null, context: DecisionContext): Source {
  if (!context.principal.startsWith('person:')) throw new DomainError('attestation_needs_person', 'This key belongs to no person.');
  const { payloads, secrets } = redact(state, context, { statement });
  const said = { statement: payloads.statement, by: context.principal, roles: [...context.roles] };
  return { source: { kind: 'attestation', ...said }, facts: NO_FACTS, since: null, secrets };
}

/** Only a result that came in time proves anything (promise 20), and only for the task to which its call was bound (promises 13, 15). */
function fromReceipt(state: SessionState, plan: ActivePlan, taskId: string, receiptId: string): Source {
  requireCall(state, receiptId);
  const call = state.find(receiptId);
  if (call === null) throw new TypeError('a call that is to be evidence was read back');
  if (call.isObserved) throw unusable('observed', 'The call was reported afterwards; the ledger did not see it run.');
  const { dispatched } = call.revisions;
  if (call.result === null || dispatched === null)
    throw unusable('call_not_reported', `The call is ${call.status}, with no result in time.`);
  if (call.planId !== plan.planId || call.taskId !== taskId)
    throw unusable('not_bound', 'The call was not bound to this task of the active plan.');
  return { source: { kind: 'receipt', receiptId }, facts: factsOf(call, call.result), since: String(dispatched), secrets: [] };
}

function factsOf({ status, expectation }: Call, { exitCode, verification }: NonNullable<Call['result']>): EvidenceFacts {
  const isWrite = expectation.kind === 'file_write';
  return {
    status,
    exitCode,
    commandFingerprint: expectation.kind === 'command' ? expectation.fingerprint : null,
    pathFingerprint: isWrite ? expectation.pathFingerprint : null,
    // What was expected is what was found, or nothing is known.
    contentDigest: isWrite && verification === 'verified' ? expectation.contentDigest : null,
    verification,
  };
}

function fingerprintOf({ taskId, criterionId, source }: RecordEvidence, context: DecisionContext): string {
  const facts = ((): readonly unknown[] => {
    switch (source.kind) {
      case 'receipt':
        return [source.receiptId];
      case 'observation': {
        const { exists, sha256, bytes } = source.state;
        return [source.path, source.method, source.observer, exists, sha256, bytes];
      }
      case 'attestation':
        return [context.principal, source.statement === null ? null : JSON.stringify(source.statement.text)];
    }
  })();
  return saidFingerprint(context.key, ['evidence', taskId, criterionId, source.kind, ...facts]);
}

const unusable = (reason: string, detail: string): DomainError => new DomainError('evidence_unusable', detail, { reason });
