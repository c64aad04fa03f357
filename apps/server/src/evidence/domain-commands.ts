import type { EvidenceBody } from '@counterfoil/contracts';
import type { RecordEvidence } from '@counterfoil/session';
import { textInput } from '../tool-calls/domain-commands.js';

/** Evidence as it was sent, turned into what the decider takes. Pure. */
export function toEvidence(body: EvidenceBody): RecordEvidence {
  const { evidenceId, planId = null, taskId, criterionId } = body;
  return { type: 'RecordEvidence', evidenceId, planId, taskId, criterionId: criterionId ?? null, source: sourceOf(body) };
}

/** The schema took exactly one source. */
function sourceOf({ receiptId, observation, attestation }: EvidenceBody): RecordEvidence['source'] {
  if (receiptId !== undefined) return { kind: 'receipt', receiptId };
  if (observation === undefined) return { kind: 'attestation', statement: textInput(attestation?.statement) };
  const { path, method, observer, exists, sha256, bytes } = observation;
  return { kind: 'observation', path, method, observer, state: { exists, sha256: sha256 ?? null, bytes: bytes ?? null } };
}
