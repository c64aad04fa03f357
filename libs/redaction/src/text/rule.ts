import type { SecretKind } from '../keys/secret-keys.js';

/** A stretch of a text (UTF-16 offsets, end exclusive) that a rule wants out. */
export interface Span {
  readonly start: number;
  readonly end: number;
  readonly rule: string;
  /** What stands on both sides of the mark: the quotes that a bare value or a group lacks, so that JSON in text stays JSON. */
  readonly around?: string;
}

/** A span with the secrets in it that are worth knowing later on; the span's own text where none are named. */
export interface Finding extends Span {
  readonly secrets?: readonly string[];
}

/** One text under search. */
export interface TextScan {
  readonly text: string;
  readonly rules: RuleSet;
  readonly found: Finding[];
  /** A private key without its END line was met: the rest of it may stand in another field. */
  openKey: boolean;
  /** A key id of AWS was met: its secret half has no mark of its own, and may stand anywhere near. */
  awsKeyId: boolean;
  /** Where the last HTTP client was called, for its options. */
  clientAt: number;
}

/**
 * A rule for text. The driver walks over the text once and tries a rule only at its trigger characters.
 *
 * Linear time is a matter of each rule: `match` looks at a bounded stretch, or at one that it then returns the end of, so
 * that no character is looked at again and again.
 */
export interface TextRule {
  readonly name: string;
  /** The characters (ASCII) at which the rule is tried. */
  readonly triggers: string;
  /** Only where a token may begin. */
  readonly atTokenStart: boolean;
  /** Adds what it finds at `at` to `scan.found`. Returns where to go on, or `at` if there is nothing of its own. */
  match(scan: TextScan, at: number): number;
}

/** What is a secret. `version` changes whenever an answer may change: projections pin it. */
export interface RuleSet {
  readonly version: string;
  /** What a key of this name holds; null if no secret. */
  readonly kindOf: (name: string) => SecretKind | null;
  /** Whether a name that ends before `end` could have a kind: a quick first look, which never says no to one that has. */
  readonly mayEndName: (text: string, end: number) => boolean;
  readonly text: readonly TextRule[];
}
