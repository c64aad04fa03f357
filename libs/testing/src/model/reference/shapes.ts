import type { Found, PlannedCriterion, Spec } from '../words.js';

// What the reference keeps: plain objects and lists, nothing digested, nothing indexed.

export type Status =
  | 'requested'
  | 'awaiting_approval'
  | 'approved'
  | 'dispatched'
  | 'succeeded'
  | 'failed'
  | 'timed_out'
  | 'interrupted'
  | 'cancelled'
  | 'unknown'
  | 'rejected'
  | 'denied'
  | 'expired';

export interface Approval {
  state: 'pending' | 'granted' | 'consumed' | 'denied' | 'expired' | 'voided';
  readonly expires: number;
  by: string | null;
}

/** What a call is to bring about (promise 19). `command` is the line or the list as JSON text. */
export type Expected =
  | { readonly kind: 'file'; readonly path: string; readonly content: string }
  | { readonly kind: 'command'; readonly tool: number; readonly command: string; readonly cwd: string | null }
  | { readonly kind: 'not_applicable' }
  | { readonly kind: 'unavailable' };

export interface Verified {
  readonly state: 'verified' | 'failed' | 'unavailable' | 'not_applicable';
  readonly change: 'changed' | 'unchanged' | 'unknown' | null;
}

/** What a runner says. */
export interface Report {
  readonly status: Status;
  readonly exitCode: number | null;
  readonly signal: boolean;
  readonly found: Found | null;
  readonly method: string;
  /** All of it as one text, for comparing. */
  readonly content: string;
}

export interface Call {
  readonly turn: string;
  readonly id: string;
  /** What was originally requested, for comparing only. */
  readonly asked: string;
  readonly tool: number;
  /** Tool and arguments, as `<tool>/<arguments>`; null for malformed ones. */
  operation: string | null;
  readonly requestedBy: string;
  /** The spec under which it was requested; null for a tool that was not registered. */
  readonly spec: Spec | null;
  /** Nothing of its arguments was taken out. */
  readonly isWhole: boolean;
  readonly task: string | null;
  /** The plan in whose task it runs; null for a call that is bound to none. */
  readonly plan: string | null;
  readonly isObserved: boolean;
  expected: Expected;
  /** What it runs, as far as its tool and its arguments say: of an observed call nothing was expected, and yet this is known. */
  runs: Expected;
  amendedFrom: string | null;
  status: Status;
  approval: Approval | null;
  /** Code of why it ended, where there is one. */
  why: string | null;
  /** When it was dispatched, or was observed to have run; null while it was not. */
  ran: number | null;
  /** The attempt that dispatched it, or whose dispatch ended it. */
  attempt: string | null;
  before: Found | null;
  lease: number;
  leaseUntil: number | null;
  cancelAsked: boolean;
  /** The result that was reported, in time or late. */
  said: string | null;
  /** Of a result that came in time. */
  outcome: { readonly exitCode: number | null; readonly verified: Verified } | null;
}

export type TaskStatus = 'pending' | 'running' | 'blocked' | 'succeeded' | 'failed' | 'cancelled';

export interface Task {
  readonly id: string;
  readonly criteria: readonly PlannedCriterion[];
  readonly content: string;
  status: TaskStatus;
  /** What led to its state, for comparing. */
  last: string | null;
  met: readonly (readonly [string, string])[];
  reopened: number[];
}

export interface Plan {
  readonly id: string;
  readonly content: string;
  isActive: boolean;
  readonly tasks: Task[];
}

export type Source =
  | { readonly kind: 'receipt'; readonly call: Call }
  | { readonly kind: 'observation'; readonly path: string; readonly found: Found; readonly method: string }
  | { readonly kind: 'attestation'; readonly roles: readonly string[] };

export interface Evidence {
  readonly id: string;
  readonly content: string;
  readonly plan: string;
  readonly task: string;
  readonly criterion: string | null;
  readonly source: Source;
  /** When it became true: the dispatch of a receipt's call, or the moment of recording. */
  readonly since: number;
}

export interface Session {
  readonly user: string;
  readonly agent: string | null;
  closed: boolean;
  readonly calls: Call[];
  readonly plans: Plan[];
  readonly evidence: Evidence[];
}

/** When a command is taken: by the clock, and as the n-th of all. */
export interface Moment {
  readonly now: number;
  readonly count: number;
}

/** Something was recorded; it was said before; or the code of the refusal, with its reason where there is one. */
export type Said = string;
export const ACCEPTED: Said = 'accepted';
export const SAME: Said = 'same';
/** What is unmet: for each criterion (an empty text for the task itself) the codes of all that is wrong with it. */
export type Unmet = ReadonlyMap<string, readonly string[]>;
export type Answer = Said | Unmet;

const WAITING: readonly Status[] = ['requested', 'awaiting_approval', 'approved'];
export const waits = (call: Call): boolean => WAITING.includes(call.status);
export const hasEnded = (call: Call): boolean => !waits(call) && call.status !== 'dispatched';

/** An approval past its expiry counts as expired before anybody has said so (promise 7). */
export const isOver = (call: Call, now: number): boolean =>
  call.approval !== null && ['pending', 'granted'].includes(call.approval.state) && now >= call.approval.expires;

/** The calls of a session that have an approval, in the order in which these were asked for. */
export const approvalsOf = (session: Session): Call[] => session.calls.filter((call) => call.approval !== null);

export const activePlan = (session: Session): Plan | undefined => session.plans.find((plan) => plan.isActive);

/** A call may be bound to it (promise 14). */
export const isEligible = (task: Task | undefined): boolean => task !== undefined && ['pending', 'running'].includes(task.status);
