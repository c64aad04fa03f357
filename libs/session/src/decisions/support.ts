import { fileDigest, type FingerprintKey } from '@counterfoil/canonical';
import { DomainError, type EventData, type KnownSecret, type Payload, type SessionEvent } from '@counterfoil/contracts';
import { redactRecord, secretRuleOf, type RedactionInput } from '@counterfoil/redaction';
import type { Call } from '../call.js';
import type { FileState, FreeInput } from '../commands.js';
import type { DecisionContext } from '../context.js';
import type { EndedCall } from '../ended-calls.js';
import type { SessionIdentity, SessionState } from '../state.js';

/** @throws DomainError `not_found` when the session was never opened */
export function requireSession(state: SessionState): SessionIdentity {
  if (state.identity === null) throw new DomainError('not_found', 'There is no such session.');
  return state.identity;
}

/** The call if it is still open, else what is kept of it after its end. @throws DomainError `not_found` */
export function requireCall(state: SessionState, receiptId: string): { readonly open: Call } | { readonly ended: EndedCall } {
  const open = state.open.get(receiptId);
  if (open !== undefined) return { open };
  const ended = state.ended.get(receiptId);
  if (ended === null) throw new DomainError('not_found', 'There is no such call in this session.');
  return { ended };
}

export function event<T extends SessionEvent['type']>(type: T, data: EventData<T>): SessionEvent {
  // TypeScript can't see that (T, EventData<T>) is a member of the union for each T.
  return { type, data } as unknown as SessionEvent;
}

/** True once the approval's time is over, whether or not a sweeper has said so (promise 7). */
export function hasLapsed(call: Call, now: number): boolean {
  const { approval } = call;
  return approval !== null && (approval.state === 'pending' || approval.state === 'granted') && now >= Date.parse(approval.expiresAt);
}

export function expire(call: Call, attempt: string | null): SessionEvent[] {
  const { approval, receiptId } = call;
  if (approval === null) return [];
  const { approvalId, operationId, expiresAt } = approval;
  return [event('ApprovalExpired', { receiptId, approvalId, operationId, expiresAt, attempt })];
}

/** Voids the call's approval if it is alive; what ends the call follows it in the same append. */
export function voidApproval(call: Call, code: string): SessionEvent[] {
  const { approval, receiptId } = call;
  if (approval === null || (approval.state !== 'pending' && approval.state !== 'granted')) return [];
  return [event('ApprovalVoided', { receiptId, approvalId: approval.approvalId, operationId: approval.operationId, code })];
}

/**
 * Passes everything free in one record through the redaction door, against what the session knows (promise 21). Each payload takes at
 * most 64 KiB in its event, after escaping, or what `limits` says; the three of a result leave room in its 256 KiB.
 */
export function redact<K extends string>(
  state: SessionState,
  context: DecisionContext,
  record: Readonly<Record<K, FreeInput | null>>,
  limits?: Readonly<Partial<Record<K, number>>>,
): { payloads: Record<K, Payload | null>; secrets: KnownSecret[] } {
  const inputs: Readonly<Record<K, RedactionInput | null>> = record;
  const { payloads, learned } = redactRecord(inputs, { key: context.key, known: state.known, ...(limits === undefined ? {} : { limits }) });
  return { payloads, secrets: learned };
}

/**
 * Refuses identifiers that look like credentials: they would stand unredacted in every event and index (promise 1).
 *
 * @param known what the session knows, and what the payloads of the same record have just taught
 * @throws DomainError `identifier_is_secret`, naming the field and never the value
 */
export function refuseSecretIdentifiers(
  context: DecisionContext,
  known: readonly KnownSecret[],
  identifiers: Readonly<Record<string, string | null>>,
): void {
  for (const [field, value] of Object.entries(identifiers)) {
    const rule = value === null ? null : secretRuleOf(value);
    if (rule !== null) throw secretIdentifier(field, rule);
  }
  refuseKnown(context, known, identifiers);
}

const secretIdentifier = (field: string, rule: string): DomainError =>
  new DomainError('identifier_is_secret', `\`${field}\` hits the redaction rule ${rule}.`, { field, rule });

/** A secret that the session, or this very record, has taught may come as an identifier too (promise 21). */
function refuseKnown(context: DecisionContext, known: readonly KnownSecret[], identifiers: Readonly<Record<string, string | null>>): void {
  if (known.length === 0) return;
  // All in one pass: looking for a thousand known secrets is what costs, not the texts in which they are looked for.
  const inputs = Object.fromEntries(
    Object.entries(identifiers).map(([field, value]) => [field, value === null ? null : ({ kind: 'text', text: value } as const)]),
  );
  const { payloads } = redactRecord(inputs, { key: context.key, known });
  for (const [field, payload] of Object.entries(payloads)) {
    const rule = payload?.redactions[0]?.rule;
    if (rule !== undefined) throw secretIdentifier(field, rule);
  }
}

/** UUIDs are the same in any case (RFC 9562, section 4); what is kept of ended calls holds their bytes. */
export const sameAttempt = (a: string | null, b: string): boolean => a?.toLowerCase() === b.toLowerCase();

/** A file's state as JSON text with its digest keyed: the plain one could be used to guess short content (promise 4). */
export function fileStateInput(key: FingerprintKey, state: FileState, more: Readonly<Record<string, string>> = {}): FreeInput {
  const digest = state.sha256 === null ? null : fileDigest(key, state.sha256);
  return { kind: 'json', text: JSON.stringify({ ...more, exists: state.exists, digest, bytes: state.bytes }) };
}
