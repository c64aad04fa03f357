import type { Criterion, Unmet } from '@counterfoil/contracts';
import type { CompleteTask } from './commands.js';
import type { SessionState } from './state.js';
import { isStale, type Evidence, type Task } from './task.js';

interface Fault {
  readonly code: string;
  readonly detail: string;
}

const fault = (code: string, detail: string): Fault => ({ code, detail });

/** Everything that stands in the way of a completion, in the order of the criteria; empty when nothing does (promise 15). */
export function unmetOf(state: SessionState, task: Task, { met, acceptance }: Pick<CompleteTask, 'met' | 'acceptance'>): Unmet[] {
  const unmet: Unmet[] = [];
  const add = (criterionId: string | null, { code, detail }: Fault): void => {
    unmet.push({ criterionId, code, detail });
  };
  const known = new Set(task.criteria.map(({ id }) => id));
  for (const { criterionId } of met) {
    if (!known.has(criterionId)) add(criterionId, fault('unknown_criterion', 'The task has no such criterion.'));
  }
  for (const criterion of task.criteria) {
    const found = faultOf(state, task, criterion, met);
    if (found !== null) add(criterion.id, found);
  }
  if (task.criteria.length === 0 && acceptance === null) {
    add(null, fault('acceptance_missing', 'A task without criteria needs an explicit acceptance with a reason.'));
  }
  if (task.criteria.length > 0 && acceptance !== null) {
    add(null, fault('acceptance_not_needed', 'A task with criteria is completed by evidence, never by an acceptance.'));
  }
  return unmet;
}

function faultOf(state: SessionState, task: Task, criterion: Criterion, met: CompleteTask['met']): Fault | null {
  const named = met.filter(({ criterionId }) => criterionId === criterion.id);
  const [only] = named;
  if (only === undefined) return fault('missing', 'No evidence was named for it.');
  const uses = met.filter(({ evidenceId }) => isOnePiece(state, evidenceId, only.evidenceId)).length;
  if (named.length > 1 || uses > 1)
    return fault('used_twice', 'Each criterion takes one piece of evidence, and each piece meets one criterion.');
  const evidence = state.evidence.get(only.evidenceId);
  if (evidence === undefined) return fault('unknown_evidence', 'There is no such evidence in the active plan.');
  if (evidence.taskId !== task.taskId) return fault('other_task', 'The evidence is about another task.');
  if (evidence.criterionId !== null && evidence.criterionId !== criterion.id) {
    return fault('other_criterion', 'The evidence was recorded for another criterion.');
  }
  return contentFault(criterion, evidence) ?? (isStale(state, task, evidence) ? STALE : null);
}

/** The same evidence, or evidence from the same run under another id. */
function isOnePiece(state: SessionState, one: string, other: string): boolean {
  if (one === other) return true;
  const receiptId = state.evidence.get(one)?.receiptId ?? null;
  return receiptId !== null && receiptId === state.evidence.get(other)?.receiptId;
}

const STALE = fault('stale', 'What it proves may have been changed since: a later call could have, or the task was reopened.');

function contentFault(criterion: Criterion, evidence: Evidence): Fault | null {
  switch (criterion.kind) {
    case 'command':
      return commandFault(criterion.fingerprint, evidence);
    case 'effect':
      return effectFault(criterion, evidence);
    case 'evidence':
      return anyFault(evidence);
    case 'attestation':
      if (evidence.kind !== 'attestation') return fault('not_attested', 'Only the attestation of a person meets it.');
      return evidence.roles.includes(criterion.role) ? null : fault('role_missing', `Whoever attested has not the role ${criterion.role}.`);
  }
}

/** Exactly that command in exactly that directory, and it exited with 0 (promise 15). */
function commandFault(fingerprint: string, { kind, facts }: Evidence): Fault | null {
  if (kind !== 'receipt') return fault('not_a_receipt', 'Only the receipt of a run meets it.');
  if (facts.commandFingerprint === null) {
    return fault('not_a_command', 'The ledger does not know what the call ran: its tool is not registered as one that runs commands.');
  }
  if (facts.commandFingerprint !== fingerprint) return fault('command_differs', 'It ran another command, or in another directory.');
  if (facts.status !== 'succeeded') return fault('not_succeeded', `The call ended as ${facts.status ?? 'nothing known'}.`);
  return facts.exitCode === 0 ? null : fault('exit_status', 'It did not exit with 0.');
}

function effectFault(criterion: Extract<Criterion, { kind: 'effect' }>, { kind, facts }: Evidence): Fault | null {
  if (kind === 'attestation') return fault('not_verified', 'An attestation says nothing of content.');
  if (facts.pathFingerprint !== null && facts.pathFingerprint !== criterion.pathFingerprint)
    return fault('path_differs', 'It is about another path.');
  if (kind === 'receipt' && facts.verification !== 'verified') return fault('not_verified', 'The effect of the call was not verified.');
  if (facts.pathFingerprint === null || facts.contentDigest === null) return fault('not_verified', 'It says nothing of content.');
  return facts.contentDigest === criterion.contentDigest ? null : fault('content_differs', 'The content is another one.');
}

/** A criterion in words takes any evidence that doesn't speak against itself. */
function anyFault({ kind, facts }: Evidence): Fault | null {
  if (kind !== 'receipt') return null;
  if (facts.status !== 'succeeded') return fault('not_succeeded', `The call ended as ${facts.status ?? 'nothing known'}.`);
  return facts.verification === 'failed'
    ? fault('not_verified', 'What was found afterwards is not what the call was to bring about.')
    : null;
}
