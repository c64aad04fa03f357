import { canonicalize } from '../form/canonicalize.js';
import { HashInputError, sha256Bytes } from './digest.js';

// Digits only follow the last underscore, so session ids may have underscores too.
const APPROVAL_ID = /^apr_([A-Za-z0-9._:-]{1,128})_(0|[1-9][0-9]{0,8})$/;

const receiptIdOf = (parts: readonly string[]): string => `rcp_${sha256Bytes(canonicalize(parts)).toString('base64url', 0, 16)}`;

/** What identifies a call (promise 2). `callId` is the caller's, verbatim. */
export interface CallCoordinates {
  readonly workspaceId: string;
  readonly sessionId: string;
  readonly turn: string;
  readonly callId: string;
}

/**
 * The id of a call's receipt: `rcp_` and the base64url of the first 16 bytes of SHA-256 over the RFC 8785 form of
 * [workspace, session, turn, call id].
 *
 * @throws CanonicalError if one of them holds a lone surrogate
 */
export function receiptId(call: CallCoordinates): string {
  return receiptIdOf([call.workspaceId, call.sessionId, call.turn, call.callId]);
}

/** The id of an imported record's receipt: the same over the RFC 8785 form of [record key] (see `historyRecordKey`). */
export function importedReceiptId(recordKey: string): string {
  return receiptIdOf([recordKey]);
}

/**
 * The id of the nth approval of a session, `apr_<session>_<n>`: a grant finds its session in it.
 *
 * @throws HashInputError if the session id is not one, or n is not an integer from 0 to 999999999
 */
export function approvalId(sessionId: string, n: number): string {
  const id = `apr_${sessionId}_${n}`;
  const parsed = parseApprovalId(id);
  if (parsed?.sessionId !== sessionId || parsed.n !== n) throw new HashInputError('no session id or no number for an approval');
  return id;
}

/** The parts of an approval id; null if it is none. */
export function parseApprovalId(id: string): { sessionId: string; n: number } | null {
  const match = APPROVAL_ID.exec(id);
  return match?.[1] === undefined ? null : { sessionId: match[1], n: Number(match[2]) };
}
