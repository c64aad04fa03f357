import type { EventMetadata } from '@counterfoil/contracts';

/** What upcasting changes of an event: everything else stays as stored. */
export interface UpcastEvent {
  readonly type: string;
  readonly version: number;
  readonly data: unknown;
}

/** Where the event stands and who wrote it: a step may read it and can't change it. No position: a ledger can move. */
export interface UpcastSource {
  readonly stream: string;
  readonly id: string;
  readonly metadata: Omit<EventMetadata, 'integrity'>;
}

/** A (type, version) that a step may answer with. */
export interface UpcastTarget {
  readonly type: string;
  readonly version: number;
}

interface StepBase {
  readonly type: string;
  /** The stored version that the step starts from; 1 is the oldest. */
  readonly from: number;
  /**
   * Pure: no clock, no randomness, no change of the input. Gives one event or several, in order, each of a declared target; never
   * none, since nothing that was recorded disappears (promise 30). Keeps fields that it doesn't know (promise 25).
   */
  up(event: UpcastEvent, source: UpcastSource): readonly UpcastEvent[];
}

/** Leads from one version of a type to a later one of the same type, and, if `also` says so, to events of other types beside it. */
export interface VersionStep extends StepBase {
  readonly to: number;
  readonly also?: readonly UpcastTarget[];
}

/** Leads from a type at its current version into others: for types that are stored and never seen by a reader. */
export interface TranslateStep extends StepBase {
  readonly into: readonly UpcastTarget[];
}

export type UpcastStep = VersionStep | TranslateStep;

/** Everything that a step may answer with. */
export function targetsOf(step: UpcastStep): readonly UpcastTarget[] {
  return 'into' in step ? step.into : [{ type: step.type, version: step.to }, ...(step.also ?? [])];
}

/** The key of a (type, version) in maps. A version has no space in it, so no two pairs share a key. */
export function nodeKey(type: string, version: number): string {
  return `${String(version)} ${type}`;
}
