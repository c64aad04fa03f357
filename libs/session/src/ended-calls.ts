import type { ApprovalState, CallStatus } from '@counterfoil/contracts';
import type { Call, CallRevisions } from './call.js';
import { digest8, receiptKey, sameBytes, sixteenOf } from './compact.js';
import { RecordBlocks } from './record-blocks.js';
import { RecordIndex } from './record-index.js';

/**
 * What a session keeps of calls that have ended: fixed records of RECORD bytes in big blocks, found through tables of integers. A
 * session takes 100,000 calls, and an object per call would cost many times as much; the answer to a retry is read again from the
 * stream, by the revisions kept here (design §4: at most 200 bytes per call).
 */
const RECORD = 120;
const NONE = 0xffffffff;

const AT = { key: 0, request: 16, operation: 32, turn: 48, attempt: 56, result: 64, decider: 72, flags: 80, numbers: 84 } as const;
const NUMBERS = [
  'requested',
  'approvalRequested',
  'decided',
  'dispatched',
  'cancelRequested',
  'voided',
  'ended',
  'late',
  'amended',
] as const;
const HAS = { request: 1, operation: 2, attempt: 4, result: 8, observation: 16 } as const;

const STATUSES: readonly CallStatus[] = [
  'succeeded',
  'failed',
  'timed_out',
  'interrupted',
  'cancelled',
  'unknown',
  'rejected',
  'denied',
  'expired',
];
const APPROVALS: readonly (ApprovalState | null)[] = [null, 'pending', 'granted', 'consumed', 'denied', 'expired', 'voided'];

/** What can be asked of an ended call without reading its stream. */
export interface EndedCall {
  readonly status: CallStatus;
  readonly approvalState: ApprovalState | null;
  readonly revisions: CallRevisions;
  readonly hasResult: boolean;
  /** Reported afterwards, never dispatched. */
  readonly isObserved: boolean;
  matchesRequest(fingerprint: string): boolean;
  matchesOperation(operationId: string): boolean;
  matchesAttempt(attempt: string): boolean;
  matchesResult(fingerprint: string): boolean;
  decidedBy(principal: string): boolean;
}

export class EndedCalls {
  private readonly records = new RecordBlocks(RECORD);
  private readonly byKey = new RecordIndex(
    (key, record) => sameBytes(key, this.records.bytesAt(record, AT.key, 16)),
    (record) => this.records.bytesAt(record, AT.key, 16),
  );
  /** Operation and turn stand side by side in a record: 24 bytes are the digest of both. */
  private readonly ranInTurn = new RecordIndex(
    (both, record) => sameBytes(both, this.records.bytesAt(record, AT.operation, 24)),
    (record) => this.records.bytesAt(record, AT.operation, 24),
  );
  private readonly ranInSession = new RecordIndex(
    (operation, record) => sameBytes(operation, this.records.bytesAt(record, AT.operation, 16)),
    (record) => this.records.bytesAt(record, AT.operation, 16),
  );

  get size(): number {
    return this.records.length;
  }

  /** Bytes held in all, tables included. */
  get bytes(): number {
    return this.records.byteLength + this.byKey.byteLength + this.ranInTurn.byteLength + this.ranInSession.byteLength;
  }

  add(call: Call): void {
    const record = this.records.add();
    this.write(record, call);
    this.byKey.add(this.records.bytesAt(record, AT.key, 16), record);
    // Only what may have had an effect stands in the way of a repeated operation (promise 12).
    if (call.operationId !== null && (call.status === 'succeeded' || call.status === 'unknown')) {
      this.ranInTurn.add(this.records.bytesAt(record, AT.operation, 24), record);
      this.ranInSession.add(this.records.bytesAt(record, AT.operation, 16), record);
    }
  }

  has(receiptId: string): boolean {
    return this.byKey.find(receiptKey(receiptId)) !== null;
  }

  get(receiptId: string): EndedCall | null {
    const record = this.byKey.find(receiptKey(receiptId));
    return record === null ? null : this.view(record);
  }

  /** A late result came: recognise it when it is reported again. */
  recordLate(receiptId: string, fingerprint: string, revision: number): void {
    const record = this.byKey.find(receiptKey(receiptId));
    if (record === null) return;
    const view = this.records.viewOf(record);
    this.records.bytesAt(record, AT.result, 8).set(eightOf(fingerprint));
    view.setUint8(AT.flags + 2, view.getUint8(AT.flags + 2) | HAS.result);
    view.setUint32(AT.numbers + NUMBERS.indexOf('late') * 4, revision);
  }

  /** True when a call of this operation, in this turn or (null) in any, succeeded or is unknown (promise 12). */
  mayHaveRun(operationId: string, turn: string | null): boolean {
    if (turn === null) return this.ranInSession.find(sixteenOf(operationId)) !== null;
    const both = new Uint8Array(24);
    both.set(sixteenOf(operationId));
    both.set(digest8(turn), 16);
    return this.ranInTurn.find(both) !== null;
  }

  private write(record: number, call: Call): void {
    const view = this.records.viewOf(record);
    const put = (place: number, bytes: Uint8Array): void => {
      this.records.bytesAt(record, place, bytes.length).set(bytes);
    };
    let has: number = call.isObserved ? HAS.observation : 0;
    const putIf = (flag: number, place: number, value: string | null, toBytes: (text: string) => Uint8Array): void => {
      if (value === null) return;
      put(place, toBytes(value));
      has |= flag;
    };
    put(AT.key, receiptKey(call.receiptId));
    put(AT.turn, digest8(call.turn ?? ''));
    put(AT.decider, digest8(call.approval?.by ?? ''));
    putIf(HAS.request, AT.request, call.requestFingerprint, sixteenOf);
    putIf(HAS.operation, AT.operation, call.operationId, sixteenOf);
    putIf(HAS.attempt, AT.attempt, call.attempt, attemptDigest);
    putIf(HAS.result, AT.result, call.resultFingerprint, eightOf);
    view.setUint8(AT.flags, STATUSES.indexOf(call.status));
    view.setUint8(AT.flags + 1, APPROVALS.indexOf(call.approval?.state ?? null));
    view.setUint8(AT.flags + 2, has);
    NUMBERS.forEach((name, i) => {
      view.setUint32(AT.numbers + i * 4, call.revisions[name] ?? NONE);
    });
  }

  private view(record: number): EndedCall {
    const view = this.records.viewOf(record);
    const has = (flag: number): boolean => (view.getUint8(AT.flags + 2) & flag) !== 0;
    const holds = (place: number, bytes: Uint8Array): boolean => sameBytes(bytes, this.records.bytesAt(record, place, bytes.length));
    return {
      status: STATUSES[view.getUint8(AT.flags)] ?? 'unknown',
      approvalState: APPROVALS[view.getUint8(AT.flags + 1)] ?? null,
      revisions: readRevisions(view),
      hasResult: has(HAS.result),
      isObserved: has(HAS.observation),
      matchesRequest: (fingerprint) => has(HAS.request) && holds(AT.request, sixteenOf(fingerprint)),
      matchesOperation: (operationId) => has(HAS.operation) && holds(AT.operation, sixteenOf(operationId)),
      matchesAttempt: (attempt) => has(HAS.attempt) && holds(AT.attempt, attemptDigest(attempt)),
      matchesResult: (fingerprint) => has(HAS.result) && holds(AT.result, eightOf(fingerprint)),
      decidedBy: (principal) => holds(AT.decider, digest8(principal)),
    };
  }
}

/** UUIDs are the same in any case (RFC 9562, section 4). */
const attemptDigest = (attempt: string): Uint8Array => digest8(attempt.toLowerCase());
/** Keyed digests can't be steered: eight bytes tell a report from another one of the same call. */
const eightOf = (digest: string): Uint8Array => sixteenOf(digest).subarray(0, 8);

function readRevisions(view: DataView): CallRevisions {
  const revision = (place: number): number | null => {
    const value = view.getUint32(AT.numbers + place * 4);
    return value === NONE ? null : value;
  };
  return {
    requested: revision(0) ?? 0,
    approvalRequested: revision(1),
    decided: revision(2),
    dispatched: revision(3),
    cancelRequested: revision(4),
    voided: revision(5),
    ended: revision(6),
    late: revision(7),
    amended: revision(8),
  };
}
