import type { Redaction } from '@counterfoil/contracts';
import { unescapeString } from '@counterfoil/canonical';
import { redactionMark } from '../marks.js';
import type { Replacement } from '../splice/splice.js';
import { liftReplacements } from '../splice/splice.js';
import { markOf, settledSpans } from '../splice/spans.js';
import type { Document, Leaf, SecretValue } from '../walk/model.js';
import { pathOf } from './paths.js';

/** Redactions listed in an envelope; further ones are counted. */
export const MOST_REDACTIONS = 100;

/** What was taken out of one input. */
export class Report {
  readonly redactions: Redaction[] = [];
  omitted = 0;

  /** `path` is only asked for if there is room. */
  add(path: () => string, rule: string, bytes: number): void {
    if (this.redactions.length < MOST_REDACTIONS) this.redactions.push({ path: path(), rule, bytes });
    else this.omitted++;
  }
}

function wholeValue(document: Document, value: SecretValue, prefix: string, report: Report): Replacement {
  const { start, end, kind, parent, step } = value;
  const isString = value.type === 'string';
  const content = isString ? unescapeString(document.text, start, end) : document.text.slice(start, end);
  const bytes = Buffer.byteLength(content);
  const rule = `key.${kind}`;
  report.add(() => pathOf(parent, step, prefix), rule, bytes);
  const mark = redactionMark(rule, bytes);
  return isString ? { start: start + 1, end: end - 1, text: mark } : { start, end, text: `"${mark}"` };
}

function leafReplacements(document: Document, leaf: Leaf, prefix: string, report: Report): Replacement[] {
  const path = (): string => pathOf(leaf.parent, leaf.step ?? leaf, prefix);
  if (leaf.inner !== null) {
    const inner = assemble(leaf.inner, `${path()}#`, report);
    return liftReplacements(document.text, leaf.start, leaf.hasEscape, inner);
  }
  const replacements: Replacement[] = [];
  for (const span of settledSpans(leaf.text, leaf.spans)) {
    const { mark, bytes } = markOf(leaf.text, span);
    report.add(path, span.rule, bytes);
    replacements.push({ start: span.start, end: span.end, text: mark });
  }
  if (leaf.type !== 'number') return liftReplacements(document.text, leaf.start, leaf.hasEscape, replacements);
  const mark = replacements[0]?.text;
  return mark === undefined ? [] : [{ start: leaf.start, end: leaf.end, text: `"${mark}"` }];
}

/** The replacements that redact a document, in order, in offsets of its text. */
export function assemble(document: Document, prefix: string, report: Report): Replacement[] {
  const out: Replacement[] = [];
  const { secretValues } = document;
  let next = 0;
  let coveredTo = 0;
  for (const leaf of document.leaves) {
    for (let value = secretValues[next]; value !== undefined && value.start <= leaf.start; value = secretValues[++next]) {
      out.push(wholeValue(document, value, prefix, report));
      coveredTo = value.end;
    }
    if (leaf.start < coveredTo) continue;
    for (const replacement of leafReplacements(document, leaf, prefix, report)) out.push(replacement);
  }
  for (const value of secretValues.slice(next)) out.push(wholeValue(document, value, prefix, report));
  return out;
}
