import type { SideEffectClass, Verification } from '@counterfoil/contracts';
import type { JsonObject } from '../json-text.js';

// What each generation said of one tool call, typed from one to the next. Times are in UTC with the fraction as stored. Which keys each of
// them wrote stands in the shared facts about the old runtime, section 1; a value that was absent, or of a type nobody can read, is null.

/** What was kept of the arguments. */
export type RecordedArguments =
  | { readonly kind: 'absent' }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'object'; readonly value: JsonObject }
  | { readonly kind: 'other'; readonly value: unknown };

interface Facts0a {
  readonly action: string;
  /** Any JSON value; null if none. */
  readonly result: unknown;
  readonly success: boolean | null;
}

interface Facts0b extends Facts0a {
  readonly arguments: RecordedArguments;
  readonly receiptId: string | null;
  readonly taskId: string | null;
}

interface Facts0c extends Facts0b {
  readonly authorized: boolean | null;
}

interface Facts1 extends Facts0c {
  readonly operationId: string | null;
  readonly startedAt: string | null;
  readonly completedAt: string | null;
  readonly failure: string | null;
  readonly exitCode: number | null;
  readonly verifiedEffect: string | null;
}

interface Facts1b extends Facts1 {
  /** Whether line breaks of a result were made blanks. */
  readonly lineBreaks: 'flattened' | 'kept';
}

interface Facts2 extends Facts1b {
  /** Before redaction as it was recorded, afterwards keyed. */
  readonly argsSha256: string | null;
}

/** 0a: one evidence dict, with no arguments and no id. */
export interface Generation0a extends Facts0a {
  readonly generation: '0a';
}
/** 0b: evidence that is addressed to one task, perhaps with arguments. */
export interface Generation0b extends Facts0b {
  readonly generation: '0b';
}
/** 0c: records of sub-agents, which say whether they were authorised. */
export interface Generation0c extends Facts0c {
  readonly generation: '0c';
}
/** 1: the receipt of thirteen keys. */
export interface Generation1 extends Facts1 {
  readonly generation: '1';
}
/** 1b: the same keys; results keep their line breaks. */
export interface Generation1b extends Facts1b {
  readonly generation: '1b';
}
/** 2: with a digest over the whole arguments. */
export interface Generation2 extends Facts2 {
  readonly generation: '2';
}

/** A JSON value of the record, and the key of the call under which it stands there. */
export interface Recorded {
  readonly value: unknown;
  readonly key: string;
}

/** 3: typed arguments and results, and a call id that says where it is from. */
export interface Generation3 {
  readonly generation: '3';
  readonly callId: string;
  readonly callIdSource: 'native' | 'legacy' | 'synthetic';
  readonly action: string;
  /** The tool's canonical name. */
  readonly tool: string;
  readonly toolSource: string | null;
  readonly toolVersion: string | null;
  readonly sideEffects: SideEffectClass;
  /** JSON text of an object, or `null`; and what it is made of. */
  readonly arguments: { readonly json: string; readonly from: Recorded; readonly isObject: boolean };
  readonly operationId: string | null;
  readonly taskId: string | null;
  readonly planId: string | null;
  readonly authorized: boolean | null;
  readonly success: boolean | null;
  readonly failure: string | null;
  readonly exitCode: number | null;
  readonly result: Recorded | null;
  /** What the tool said of its failure, where that was kept apart from the result. */
  readonly error: Recorded | null;
  readonly verification: {
    readonly state: Verification['state'];
    readonly method: string | null;
    readonly observed: Recorded | null;
  };
  readonly startedAt: string | null;
  readonly completedAt: string | null;
}

export type OldCall = Generation0a | Generation0b | Generation0c | Generation1 | Generation1b | Generation2;
/** `unknown`: reads like a receipt and keeps to no generation's form. */
export type GenerationName = OldCall['generation'] | '3' | 'unknown';

/** What the steps need of the record around a call. */
export interface StepContext {
  readonly recordKey: string;
  /** Whether the argument text is only what became of a value that was no text (see `argumentsFidelity`). */
  readonly opaqueArguments: boolean;
}
