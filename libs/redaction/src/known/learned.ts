import type { FingerprintKey } from '@counterfoil/canonical';
import { keyed } from '@counterfoil/canonical';
import type { KnownSecret } from '@counterfoil/contracts';
import { secretForms } from './forms.js';
import { KNOWN_TAG } from './matcher.js';
import { filterOf, rollingBase } from './rolling.js';

/** New secrets that one record adds to its session. */
export const MOST_LEARNED = 200;
// Within the record, more are looked for: they are at hand, and cost no digest.
const MOST_VALUES = 2000;

/** The secrets of one record, as they are. They never leave it in this form. */
export class Learned {
  private readonly values = new Set<string>();
  /** What was added, in the form in which it came: one value often stands many times. */
  private readonly seen = new Set<string>();
  private isClosed = false;

  get size(): number {
    return this.values.size;
  }

  add(secret: string): void {
    if (this.isClosed || this.values.size >= MOST_VALUES || this.seen.has(secret)) return;
    if (this.seen.size < MOST_VALUES) this.seen.add(secret);
    for (const form of secretForms(secret)) this.values.add(form);
  }

  /** Takes nothing more: what is found in texts of our own making is no secret of the caller's. */
  close(): void {
    this.isClosed = true;
  }

  all(): Iterable<string> {
    return this.values;
  }

  /** What the session does not know yet, as it may be kept. In the order in which it was found, at most 200. */
  toKnown(key: FingerprintKey, known: readonly KnownSecret[]): KnownSecret[] {
    if (this.values.size === 0) return [];
    const base = rollingBase(key);
    const old = new Set(known.map((secret) => secret.mac));
    const out: KnownSecret[] = [];
    for (const value of this.values) {
      if (out.length === MOST_LEARNED) break;
      const mac = keyed(key, KNOWN_TAG, value);
      if (!old.has(mac)) out.push({ length: value.length, filter: filterOf(base, value), mac });
    }
    return out;
  }
}
