import type { AnomalyKind } from '../scan/visitor.js';
import { unescapeString } from '../scan/unescape.js';

/** A member of a request body that is kept as it was written: an exact slice of the body, of any depth. */
export class RawJson {
  constructor(
    /** JSON text, save for what `anomalies` says (raw control characters, NaN and Infinity tokens). */
    readonly text: string,
    /** The kinds found in it, each once. */
    readonly anomalies: readonly AnomalyKind[],
  ) {}

  /** The decoded value if it is a string, else null. */
  stringValue(): string | null {
    return this.text.startsWith('"') ? unescapeString(this.text, 0, this.text.length) : null;
  }

  /** Whether it is the literal `null`. */
  isNull(): boolean {
    return this.text === 'null';
  }
}
