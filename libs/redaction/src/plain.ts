import { RULES } from './rules.js';
import { splice } from './splice/splice.js';
import { markOf, settledSpans } from './splice/spans.js';
import { findInText } from './text/find.js';

// Marks may bring together what stood apart (see record/rounds.ts).
const MOST_ROUNDS = 4;

/**
 * Redacts a text by pattern alone: for log lines and error details of our own, where no record and no session is at hand.
 * Plain text in, plain text out; not bounded.
 */
export function redactText(text: string): string {
  let current = text;
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const before = current;
    const spans = settledSpans(before, findInText(before, RULES).findings);
    if (spans.length === 0) break;
    current = splice(
      before,
      spans.map((span) => ({ start: span.start, end: span.end, text: markOf(before, span).mark })),
    );
  }
  return current;
}

/**
 * The rule by which an identifier (a call id, a turn, a session id, a tool's name) looks like a secret; null for ordinary ones:
 * UUIDs, ULIDs, hashes, `call_…`, `toolu_…`, `resp_…`. An identifier is kept verbatim or refused (promise 1), so nothing is
 * cut out of it. `name:value` alone is no assignment here: ids are written like that.
 */
export function secretRuleOf(identifier: string): string | null {
  for (const { start, rule } of findInText(identifier, RULES).findings) {
    const before = identifier.slice(0, start).replace(/[\s"'`\\]+$/, '');
    if (!rule.startsWith('text.') || before.endsWith('=')) return rule;
  }
  return null;
}
