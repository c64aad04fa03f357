import { EVIDENCE_PER_TASK, PAYLOAD_LIMIT_BYTES, type EvidenceSource, type Payload, type TaskEvidence } from '@counterfoil/contracts';

/**
 * A task's document is written anew with each of its events: the free texts of its evidence, statements and observations, take at most
 * so much of it together. What is over stands in the events alone, and is marked as cut.
 */
export const EVIDENCE_TEXT_LIMIT_BYTES = 2 * PAYLOAD_LIMIT_BYTES;

/**
 * The evidence of a task with one piece more. The decider takes 500 for a task; should there ever be more, the oldest piece that meets no
 * criterion makes room, and stays readable in the session's events.
 *
 * @param meeting ids of the evidence that meets a criterion
 */
export function withEvidence(all: readonly TaskEvidence[], added: TaskEvidence, meeting: ReadonlySet<string>): TaskEvidence[] {
  const room = EVIDENCE_TEXT_LIMIT_BYTES - all.reduce((sum, one) => sum + (textOf(one.source)?.storedBytes ?? 0), 0);
  const next = [...all, { ...added, source: fitted(added.source, room) }];
  const surplus = next.length > EVIDENCE_PER_TASK ? next.findIndex(({ evidenceId }) => !meeting.has(evidenceId)) : -1;
  return surplus < 0 ? next : next.toSpliced(surplus, 1);
}

/** The free text of a source; null where it has none. */
function textOf(source: EvidenceSource): Payload | null {
  switch (source.kind) {
    case 'receipt':
      return null;
    case 'observation':
      return source.observation;
    case 'attestation':
      return source.statement;
  }
}

function fitted(source: EvidenceSource, room: number): EvidenceSource {
  const text = textOf(source);
  if (text === null || text.storedBytes <= room) return source;
  if (source.kind === 'observation') return { ...source, observation: cut(text) };
  return source.kind === 'attestation' ? { ...source, statement: cut(text) } : source;
}

/** Says nothing any more but that it is cut, and how large it was (promise 23). */
function cut(payload: Payload): Payload {
  const json = JSON.stringify(`…[cut: ${payload.bytes} bytes]`);
  const storedBytes = new TextEncoder().encode(json).length;
  return { json, bytes: payload.bytes, storedBytes, state: 'cut', digest: payload.digest, redactions: [], anomalies: [] };
}
