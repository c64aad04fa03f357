import type { Admission } from '@counterfoil/canonical';
import type { Anomaly, CallIdSource, CriterionBody, OutcomeStatus, TaskContract } from '@counterfoil/contracts';

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
  /** The root of the parent's session; null without a parent, or where the parent's was not recorded. */
  readonly parentRootSessionId: string | null;
}

export interface CloseSession {
  readonly type: 'CloseSession';
  readonly reason: FreeInput | null;
}

/** A call as its caller names it. */
export interface AskedCall {
  readonly callId: string;
  readonly callIdSource: CallIdSource;
  readonly turn: string;
  readonly tool: { readonly source: string; readonly name: string; readonly declared: string | null };
  readonly arguments: Admission;
  readonly taskId: string | null;
}

export interface RequestToolCall extends AskedCall {
  readonly type: 'RequestToolCall';
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

/** What a runner says happened. */
export interface ReportedRun {
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

export interface ReportResult extends ReportedRun {
  readonly type: 'ReportResult';
  readonly receiptId: string;
  readonly attempt: string;
}

/** A call that ran without the ledger, reported afterwards (promise 31). */
export interface ObserveToolCall extends AskedCall, ReportedRun {
  readonly type: 'ObserveToolCall';
}

/** A finished call of an old runtime (promise 31): everything in the words of its old record. */
export interface ReportLegacyExecution {
  readonly type: 'ReportLegacyExecution';
  readonly turn: string;
  /** As the old runtime named it, aliases included. */
  readonly action: string;
  /** The tool that this was, by the old tools' own aliases. */
  readonly toolName: string;
  /** As they came; null for none. */
  readonly args: FreeInput | null;
  /** The argument text, for the old matching rules: empty without arguments, null for arguments that are no text. */
  readonly argsText: string | null;
  /** The same structured, as far as the old conventions say how. */
  readonly arguments: Admission;
  readonly result: FreeInput | null;
  readonly success: boolean | null;
  readonly authorized: boolean | null;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  readonly receiptId: string | null;
  readonly operationId: string | null;
  readonly failure: string | null;
  readonly exitCode: number | null;
  /** By which a run was ended, where the exit code says so. */
  readonly signal: string | null;
  readonly verifiedEffect: FreeInput | null;
  readonly acceptance: FreeInput | null;
  readonly taskId: string | null;
  readonly planId: string | null;
  readonly generation: string | null;
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
  /** What the call is to run with instead; null to grant it as it was shown. */
  readonly amended: Admission | null;
  readonly note: FreeInput | null;
}

export interface DenyApproval {
  readonly type: 'DenyApproval';
  readonly approvalId: string;
  readonly operationId: string | null;
  readonly note: FreeInput | null;
}

/** A task as it is planned: its words, and what it is accepted by. */
export interface TaskPlan {
  readonly taskId: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly criteria: readonly CriterionBody[];
  /** What a call of an old runtime has to be for the legacy adapter to put it to the task. */
  readonly contract?: TaskContract | null;
}

/** Activates a Working Plan; the one that was active is superseded. */
export interface ActivatePlan {
  readonly type: 'ActivatePlan';
  readonly planId: string;
  readonly title: string | null;
  readonly tasks: readonly TaskPlan[];
}

export interface ClosePlan {
  readonly type: 'ClosePlan';
  readonly planId: string;
  readonly reason: FreeInput | null;
}

/** Adds a task to the active plan. */
export interface AddTask {
  readonly type: 'AddTask';
  readonly task: TaskPlan;
  /** The plan that is meant; null or absent: the active one, whichever that is. */
  readonly planId?: string | null;
}

export type TaskChange = 'start' | 'block' | 'unblock' | 'fail' | 'cancel' | 'reopen';

export interface ChangeTask {
  readonly type: 'ChangeTask';
  readonly taskId: string;
  readonly change: TaskChange;
  /** The plan that is meant; null or absent: the active one, whichever that is. */
  readonly planId?: string | null;
  readonly reason: FreeInput | null;
}

export interface CompleteTask {
  readonly type: 'CompleteTask';
  /** The plan that is meant; null or absent: the active one, whichever that is. */
  readonly planId?: string | null;
  readonly taskId: string;
  readonly met: readonly { readonly criterionId: string; readonly evidenceId: string }[];
  readonly acceptance: FreeInput | null;
}

export interface RecordEvidence {
  readonly type: 'RecordEvidence';
  readonly evidenceId: string;
  /** The plan that is meant; null or absent: the active one, whichever that is. */
  readonly planId?: string | null;
  readonly taskId: string;
  readonly criterionId: string | null;
  readonly source:
    | { readonly kind: 'receipt'; readonly receiptId: string }
    | { readonly kind: 'observation'; readonly path: string; readonly state: FileState; readonly method: string; readonly observer: string }
    | { readonly kind: 'attestation'; readonly statement: FreeInput | null };
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
  | ObserveToolCall
  | ReportLegacyExecution
  | ActivatePlan
  | ClosePlan
  | AddTask
  | ChangeTask
  | CompleteTask
  | RecordEvidence
  | Sweep;
