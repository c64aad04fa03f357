import { marksOf, redactionMark } from '../marks.js';
import type { Span } from '../text/rule.js';

const isHigh = (code: number): boolean => (code & 0xfc00) === 0xd800;
const isLow = (code: number): boolean => (code & 0xfc00) === 0xdc00;

function splitsPair(text: string, at: number): boolean {
  return isHigh(text.charCodeAt(at - 1)) && isLow(text.charCodeAt(at));
}

const isKnown = (span: Span): number => (span.rule.startsWith('known') ? 1 : 0);

/** Sorted, and overlapping ones made one, under the rule of the one that begins first; the rule that found it by itself, if two did. */
function merged(spans: readonly Span[]): Span[] {
  const sorted = [...spans].sort((a, b) => a.start - b.start || b.end - a.end || isKnown(a) - isKnown(b));
  const out: Span[] = [];
  for (const span of sorted) {
    const last = out.at(-1);
    if (last !== undefined && span.start < last.end) {
      if (span.end > last.end) out[out.length - 1] = { start: last.start, end: span.end, rule: last.rule };
    } else {
      out.push(span);
    }
  }
  return out;
}

/** Drops spans that lie within a mark, and widens those that overlap one, so that marks are never split or marked again. */
function besideMarks(text: string, spans: readonly Span[]): Span[] {
  const marks = marksOf(text);
  if (marks.length === 0) return [...spans];
  const out: Span[] = [];
  let mark = 0;
  for (const span of spans) {
    while (mark < marks.length && (marks[mark + 1] ?? 0) <= span.start) mark += 2;
    let { start, end } = span;
    for (let at = mark; at < marks.length && (marks[at] ?? 0) < span.end; at += 2) {
      start = Math.min(start, marks[at] ?? start);
      end = Math.max(end, marks[at + 1] ?? end);
    }
    const isInside = (marks[mark] ?? Infinity) <= span.start && span.end <= (marks[mark + 1] ?? -1);
    if (!isInside) out.push({ ...span, start, end });
  }
  return merged(out);
}

/**
 * The stretches of a text that go out: sorted, none overlapping another, none splitting a surrogate pair or a mark.
 */
export function settledSpans(text: string, spans: readonly Span[]): Span[] {
  if (spans.length === 0) return [];
  const whole = spans
    .filter((span) => span.end > span.start)
    .map((span) => ({
      ...span,
      start: splitsPair(text, span.start) ? span.start - 1 : span.start,
      end: splitsPair(text, span.end) ? span.end + 1 : span.end,
    }));
  return besideMarks(text, merged(whole));
}

/** The redacted form of a stretch: its mark, in quotes where it needs them, and its size in UTF-8 bytes. */
export function markOf(text: string, span: Span): { mark: string; bytes: number } {
  const bytes = Buffer.byteLength(text.slice(span.start, span.end));
  const around = span.around ?? '';
  return { mark: `${around}${redactionMark(span.rule, bytes)}${around}`, bytes };
}
