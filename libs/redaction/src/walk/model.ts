import type { SecretKind } from '../keys/secret-keys.js';
import type { Finding } from '../text/rule.js';

/** How a value is reached from its container: by a key (as a leaf where something in it goes out) or by an index. */
export type Step = string | number | Leaf;

/** What paths are made of: a container and how it is reached. */
export interface Container {
  /** No container at the root. */
  readonly parent: Container | null;
  readonly step: Step;
}

/** A key, string or number in which something was found. */
export interface Leaf {
  /** Offsets in the document's text, quotes included. */
  readonly start: number;
  readonly end: number;
  readonly type: 'key' | 'string' | 'number';
  /** The decoded text; of a number its literal. */
  readonly text: string;
  readonly hasEscape: boolean;
  readonly parent: Container | null;
  /** Of a key this is null: it is the step itself. */
  readonly step: Step | null;
  /** What goes out; empty for a string that holds JSON. */
  readonly spans: readonly Finding[];
  /** The JSON that the string holds. */
  readonly inner: Document | null;
}

/** A value that goes out whole. */
export interface SecretValue {
  readonly start: number;
  readonly end: number;
  readonly kind: SecretKind;
  readonly type: 'string' | 'number' | 'container';
  readonly parent: Container | null;
  readonly step: Step;
}

/** What was found in one JSON text: of an input, or inside a string of one. */
export interface Document {
  readonly text: string;
  /** In order of their start. */
  readonly leaves: readonly Leaf[];
  /** In order of their start, none within another. */
  readonly secretValues: readonly SecretValue[];
}
