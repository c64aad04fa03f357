import type { TaskChange } from '@counterfoil/session';
import type { Found } from './words.js';

/**
 * A call that was requested: the n-th newest of its session, counted round and round (null for one that nobody requested), where
 * evidence is recorded also of those that were bound to its task; or, once it was played, one by its place.
 */
export type CallRef =
  | { readonly session: number; readonly nth: number | null; readonly ofItsTask?: true }
  | { readonly session: number; readonly turn: string; readonly id: string };

/** How a dispatch names what is to run, seen from the operation that the call is now, or from what was requested. */
export const NAMINGS = [
  'its id',
  'its arguments',
  'its arguments respelled',
  'the id of what was requested',
  'the id of another',
  'the arguments of another',
  'malformed arguments',
] as const;
export type Naming = (typeof NAMINGS)[number];

export const SHOWN = ['as it is', 'as it was requested', 'as another operation'] as const;
export type Shown = (typeof SHOWN)[number];

/** Which evidence a completion names: the newest that was recorded of the task for each criterion, or what is wrong with that. */
export const NAMED_EVIDENCE = [
  'the newest of each',
  'none',
  'all but one',
  'one for all',
  'the oldest of any task',
  'those of each other',
  'one for a criterion that is not there',
  'one that is not there',
] as const;
export type NamedEvidence = (typeof NAMED_EVIDENCE)[number];

/** What a runner reports: indexes into the lists of words. */
export interface Reported {
  readonly status: number;
  readonly exitCode: number;
  readonly signal: boolean;
  readonly output: number;
  readonly found: Found | null;
  readonly method: number;
}

export type EvidenceSourceStep =
  | { readonly kind: 'receipt'; readonly call: CallRef }
  | { readonly kind: 'observation'; readonly path: 'a.txt' | 'b.txt'; readonly found: Found; readonly method: number }
  | { readonly kind: 'attestation'; readonly statement: number };

interface Asked {
  readonly session: number;
  readonly turn: number;
  /** The n-th id, or one that the turn has not had. */
  readonly id: number | 'new';
  readonly by: number;
  readonly tool: number;
  readonly args: number;
  readonly spelling: number;
  readonly task: number | null;
}

/** Who takes the step, where it says so: an index into PRINCIPALS. Other numbers are indexes into the lists of words, or seconds. */
export type CommandStep =
  | { readonly do: 'open'; readonly session: number; readonly user: number; readonly agent: boolean }
  | { readonly do: 'close'; readonly session: number }
  | { readonly do: 'sweep'; readonly session: number }
  /** `approval`: seconds until it expires; null for none. */
  | (Asked & { readonly do: 'request'; readonly approval: number | null })
  | (Asked & { readonly do: 'observe'; readonly reported: Reported })
  | {
      readonly do: 'dispatch';
      readonly call: CallRef;
      readonly attempt: number;
      readonly naming: Naming;
      readonly before: Found | null;
      readonly lease: number;
    }
  | { readonly do: 'report'; readonly call: CallRef; readonly attempt: number; readonly reported: Reported }
  | { readonly do: 'cancel'; readonly call: CallRef }
  | { readonly do: 'heartbeat'; readonly call: CallRef; readonly attempt: number; readonly lease: number | null }
  /** `call`: the one whose approval it is. `amended`: to which arguments; null for a grant as it was shown. */
  | {
      readonly do: 'grant';
      readonly call: CallRef;
      readonly by: number;
      readonly shown: Shown;
      readonly amended: number | null;
    }
  | { readonly do: 'deny'; readonly call: CallRef; readonly by: number; readonly shown: Shown | null }
  | { readonly do: 'activate'; readonly session: number; readonly plan: number | 'new'; readonly content: number; readonly title: boolean }
  | { readonly do: 'close plan'; readonly session: number; readonly plan: number | 'the active one' }
  | { readonly do: 'add task'; readonly session: number; readonly task: number; readonly criteria: number }
  | { readonly do: 'change'; readonly session: number; readonly task: number; readonly change: TaskChange; readonly reason: number }
  | {
      readonly do: 'complete';
      readonly session: number;
      readonly task: number;
      readonly met: NamedEvidence | readonly (readonly [string, string])[];
      readonly acceptance: number;
    }
  | {
      readonly do: 'evidence';
      readonly session: number;
      readonly id: number | 'new';
      readonly task: number;
      readonly criterion: number | null;
      readonly by: number;
      readonly roles: number;
      readonly source: EvidenceSourceStep;
    };

/** What is done to the tools and the policy of the workspace, outside of any session. */
export type RegistryStep =
  | { readonly do: 'register'; readonly tool: number; readonly spec: number }
  | { readonly do: 'retire'; readonly tool: number }
  | { readonly do: 'policy'; readonly policy: number };

export type Step =
  | CommandStep
  | RegistryStep
  | { readonly do: 'wait'; readonly seconds: number }
  /** The command of so many commands ago once more; once it was played: the one of that step. */
  | { readonly do: 'again'; readonly back: number }
  | { readonly do: 'again'; readonly of: Step };
