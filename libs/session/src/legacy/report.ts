import type { FingerprintKey } from '@counterfoil/canonical';
import type { Criterion } from '@counterfoil/contracts';

/** How a call of an old runtime came to be put to a task: by which of the old rules (promise 31). */
export type InferenceBasis = 'named' | 'contract_args' | 'contract' | 'criterion_args' | 'ordered_plan';

/** A finished call of an old runtime, as far as the old rules look at it. */
export interface LegacyReport {
  readonly key: FingerprintKey;
  /** As the runtime named it. */
  readonly action: string;
  readonly generation: string | null;
  /** The argument text, empty where there was none; null for arguments that were no text, which equal nothing. */
  readonly args: string | null;
  /** The task that the runtime named, if it did. */
  readonly taskId: string | null;
  /** The plan in which a task is meant; null: whichever. */
  readonly planId: string | null;
}

/** What the old rules compare a call with, of a task. */
export interface Contracted {
  /** Null: it has none. */
  readonly contract: { readonly action: string; readonly argsFingerprint: string | null } | null;
  readonly criteria: readonly Criterion[];
}
