import type { FingerprintKey } from '@counterfoil/canonical';
import { keyed } from '@counterfoil/canonical';
import type { KnownSecret } from '@counterfoil/contracts';
import { boundaryAfter, boundaryBefore, isWord } from '../text/chars.js';
import type { Span } from '../text/rule.js';
import { filterOf, rollingBase, rollOver } from './rolling.js';

/** Below this length a match needs token boundaries around it, so that a short secret isn't cut out of a longer word. */
const SELF_STANDING = 12;
/** Digests that one input may cost, besides one for each 32 characters of it. */
const LEAST_BUDGET = 512;
const CHARACTERS_PER_CHECK = 32;
/** Comparing with a secret that is at hand is this much cheaper than a digest. */
const PLAIN_CHECKS_PER_DIGEST = 8;

/** The secrets of one length that share a filter: those of the session by their digests, those of this record as they are. */
interface Candidates {
  readonly macs: Set<string>;
  readonly values: Set<string>;
}

export const KNOWN_TAG = 'known';
export const KNOWN_RULE = 'known';
export const BUDGET_RULE = 'known.budget';

/** How much checking an input may still cost. */
export class Budget {
  private left: number;

  constructor(characters: number) {
    this.left = LEAST_BUDGET + characters / CHARACTERS_PER_CHECK;
  }

  /** False once it is used up. */
  spend(checks: number): boolean {
    this.left -= checks;
    return this.left >= 0;
  }
}

/** Finds known secrets in texts. */
export class Matcher {
  private readonly base: number;
  private readonly filters = new Uint32Array(2048);
  private readonly byFilter = new Map<number, Map<number, Candidates>>();

  /**
   * @param known secrets of the session so far
   * @param values secrets of this record, at least 6 characters each
   */
  constructor(
    private readonly key: FingerprintKey,
    known: readonly KnownSecret[],
    values: Iterable<string>,
  ) {
    this.base = rollingBase(key);
    for (const secret of known) this.candidates(secret.filter, secret.length).macs.add(secret.mac);
    for (const value of values) this.candidates(filterOf(this.base, value), value.length).values.add(value);
  }

  /**
   * The known secrets in a text. Where the budget runs out in it, the text as a whole: what can't be checked goes out.
   *
   * @param covered stretches that go out anyway, sorted: nothing is looked for there
   */
  find(text: string, covered: readonly Span[], budget: Budget): Span[] {
    let spans: Span[] = [];
    let next = 0;
    rollOver(this.base, text, this.filters, (at, filter) => {
      while ((covered[next]?.end ?? Infinity) <= at) next++;
      if ((covered[next]?.start ?? Infinity) <= at || this.check(text, at, filter, spans, budget)) return true;
      spans = [{ start: 0, end: text.length, rule: BUDGET_RULE }];
      return false;
    });
    return spans;
  }

  /** Adds the known secrets that begin at `at`. False if the budget ran out. */
  private check(text: string, at: number, filter: number, spans: Span[], budget: Budget): boolean {
    for (const [length, candidates] of this.byFilter.get(filter) ?? []) {
      const end = at + length;
      if (end > text.length || !standsAlone(text, at, end)) continue;
      if (!budget.spend(candidates.macs.size > 0 ? 1 : 1 / PLAIN_CHECKS_PER_DIGEST)) return false;
      if (this.isSecret(text.slice(at, end), candidates)) spans.push({ start: at, end, rule: KNOWN_RULE });
    }
    return true;
  }

  private isSecret(slice: string, { values, macs }: Candidates): boolean {
    return values.has(slice) || (macs.size > 0 && macs.has(keyed(this.key, KNOWN_TAG, slice)));
  }

  private candidates(filter: number, length: number): Candidates {
    this.filters[filter >>> 5] = (this.filters[filter >>> 5] ?? 0) | (1 << (filter & 31));
    let byLength = this.byFilter.get(filter);
    if (byLength === undefined) this.byFilter.set(filter, (byLength = new Map<number, Candidates>()));
    let candidates = byLength.get(length);
    if (candidates === undefined) byLength.set(length, (candidates = { macs: new Set(), values: new Set() }));
    return candidates;
  }
}

/** Whether the stretch may be a secret by itself: long enough, or with no part of a word beside it. */
function standsAlone(text: string, start: number, end: number): boolean {
  if (end - start >= SELF_STANDING) return true;
  const isOpenBefore = !isWord(text.charCodeAt(start)) || boundaryBefore(text, start);
  return isOpenBefore && (!isWord(text.charCodeAt(end - 1)) || boundaryAfter(text, end));
}
