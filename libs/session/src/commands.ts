import type { Admission } from '@counterfoil/canonical';
import type { Anomaly, CallIdSource, OutcomeStatus } from '@counterfoil/contracts';

/** Free JSON or text of a caller, exactly as it came: redaction happens in the decision, against what the session knows. */
export interface FreeInput {
  readonly kind: 'json' | 'text';
  readonly text: string;
  readonly anomalies?: readonly Anomaly[];
}

export interface OpenSession {
  readonly type: 'OpenSession';
  readonly workspaceId: string;
  readonly sessionId: string;
  readonly userId: string;
  readonly agent: string | null;
  readonly parent: { readonly sessionId: string; readonly receiptId: string } | null;
}

export interface CloseSession {
  readonly type: 'CloseSession';
  readonly reason: FreeInput | null;
}

export interface RequestToolCall {
  readonly type: 'RequestToolCall';
  readonly callId: string;
  readonly callIdSource: CallIdSource;
  readonly turn: string;
  readonly tool: { readonly source: string; readonly name: string; readonly declared: string | null };
  readonly arguments: Admission;
  readonly taskId: string | null;
  readonly requireApproval: boolean;
  readonly approvalExpiresSeconds: number;
}

/** What a runner found before or after it ran: the digest is the file's SHA-256 in lower-case hex, and is stored keyed only. */
export interface FileState {
  readonly exists: boolean;
  readonly sha256: string | null;
  readonly bytes: number | null;
}

export interface DispatchToolCall {
  readonly type: 'DispatchToolCall';
  readonly receiptId: string;
  readonly attempt: string;
  /** What the runner is about to run: named by its id, or by its full arguments. */
  readonly named: { readonly operationId: string } | { readonly arguments: Admission };
  readonly before: FileState | null;
  readonly leaseSeconds: number;
}

export interface ReportResult {
  readonly type: 'ReportResult';
  readonly receiptId: string;
  readonly attempt: string;
  readonly outcome: {
    readonly status: OutcomeStatus;
    readonly exitCode: number | null;
    readonly signal: string | null;
    readonly isError: boolean | null;
    readonly error: { readonly code: string | null; readonly message: FreeInput | null } | null;
  };
  readonly output: FreeInput | null;
  readonly observation: (FileState & { readonly method: string; readonly observer: string }) | null;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
}

export interface CancelToolCall {
  readonly type: 'CancelToolCall';
  readonly receiptId: string;
  readonly reason: FreeInput | null;
}

export interface ExtendLease {
  readonly type: 'ExtendLease';
  readonly receiptId: string;
  readonly attempt: string;
  readonly leaseSeconds: number | null;
}

export interface GrantApproval {
  readonly type: 'GrantApproval';
  readonly approvalId: string;
  /** The operation that the approver was shown (promise 8). */
  readonly operationId: string;
  readonly note: FreeInput | null;
}

export interface DenyApproval {
  readonly type: 'DenyApproval';
  readonly approvalId: string;
  readonly operationId: string | null;
  readonly note: FreeInput | null;
}

/** Turns what time has already decided into events: expired approvals, lost leases, leftovers of a closed session. */
export interface Sweep {
  readonly type: 'Sweep';
}

export type SessionCommand =
  | OpenSession
  | CloseSession
  | RequestToolCall
  | DispatchToolCall
  | ReportResult
  | CancelToolCall
  | ExtendLease
  | GrantApproval
  | DenyApproval
  | Sweep;
