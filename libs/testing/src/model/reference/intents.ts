import type { Found, PlannedCriterion } from '../words.js';
import type { Report } from './shapes.js';

interface Place {
  readonly turn: string;
  readonly id: string;
}

interface Asked extends Place {
  readonly by: string;
  readonly asked: string;
  readonly tool: number;
  /** Index of the arguments. */
  readonly args: number;
  readonly task: string | null;
}

/** A task as it is planned, with its content as one text for comparing. */
export interface Planned {
  readonly id: string;
  readonly criteria: readonly PlannedCriterion[];
  readonly content: string;
}

/** A command with everything in it that the reference looks at. Times are milliseconds. */
export type Intent =
  | { readonly do: 'open'; readonly user: string; readonly agent: string | null }
  | { readonly do: 'close' }
  | { readonly do: 'sweep' }
  | (Asked & { readonly do: 'request'; readonly approval: number | null })
  | (Asked & { readonly do: 'observe'; readonly report: Report })
  | (Place & {
      readonly do: 'dispatch';
      readonly attempt: string;
      /** By its id, or by arguments of the call's own tool; null for malformed ones. */
      readonly named: { readonly operation: string } | { readonly args: number | null };
      readonly before: Found | null;
      readonly lease: number;
    })
  | (Place & { readonly do: 'report'; readonly attempt: string; readonly report: Report })
  | (Place & { readonly do: 'cancel' })
  | (Place & { readonly do: 'heartbeat'; readonly attempt: string; readonly lease: number | null })
  | { readonly do: 'grant'; readonly approval: number; readonly by: string; readonly operation: string; readonly amended: number | null }
  | { readonly do: 'deny'; readonly approval: number; readonly by: string; readonly operation: string | null }
  | { readonly do: 'activate'; readonly plan: string; readonly content: string; readonly tasks: readonly Planned[] }
  | { readonly do: 'close plan'; readonly plan: string }
  | { readonly do: 'add task'; readonly task: Planned }
  | { readonly do: 'change'; readonly task: string; readonly change: string; readonly content: string }
  | {
      readonly do: 'complete';
      readonly task: string;
      readonly met: readonly (readonly [string, string])[];
      readonly acceptance: string | null;
    }
  | {
      readonly do: 'evidence';
      readonly id: string;
      readonly task: string;
      readonly criterion: string | null;
      readonly by: string;
      readonly roles: readonly string[];
      readonly content: string;
      readonly source:
        | (Place & { readonly kind: 'receipt'; readonly isOfSession: boolean })
        | { readonly kind: 'observation'; readonly path: string; readonly found: Found; readonly method: string }
        | { readonly kind: 'attestation' };
    };

export type IntentTo<T extends Intent['do']> = Extract<Intent, { readonly do: T }>;
