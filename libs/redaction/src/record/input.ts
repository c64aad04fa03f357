import type { Anomaly } from '@counterfoil/contracts';
import { escapedForJson, type Replacement } from '../splice/splice.js';
import type { Search } from '../walk/search.js';
import { scanDocument } from '../walk/scan-document.js';
import type { Document } from '../walk/model.js';

/** One input of a record, as it came. */
export type RedactionInput =
  /** JSON text. NaN, infinities, raw control characters, lone surrogates and duplicate keys are taken; what is no JSON at all is kept as text. */
  | { readonly kind: 'json'; readonly text: string; readonly anomalies?: readonly Anomaly[] }
  /** Free text. It is stored as a JSON string, a lone surrogate in it as an escape. */
  | { readonly kind: 'text'; readonly text: string; readonly anomalies?: readonly Anomaly[] };

/** An input as JSON text, walked over once. */
export interface ReadInput {
  readonly document: Document;
  readonly anomalies: readonly Anomaly[];
  /** What makes JSON of the tokens that are none, in offsets of the document's text. */
  readonly fixes: readonly Replacement[];
}

function fixFor(text: string, kind: Anomaly, start: number, end: number): Replacement | null {
  if (kind === 'not_a_number' || kind === 'infinity') return { start, end, text: `"${text.slice(start, end)}"` };
  if (kind === 'control_character') return { start, end, text: escapedForJson(text.slice(start, end)) };
  return null;
}

function readJson(text: string, given: readonly Anomaly[], search: Search): ReadInput | null {
  const anomalies = new Set<Anomaly>(given);
  const fixes: Replacement[] = [];
  const document = scanDocument(text, 0, search, (kind, start, end) => {
    anomalies.add(kind);
    const fix = fixFor(text, kind, start, end);
    if (fix !== null) fixes.push(fix);
  });
  return document === null ? null : { document, anomalies: [...anomalies], fixes };
}

function readText(text: string, given: readonly Anomaly[], search: Search): ReadInput {
  const anomalies = new Set<Anomaly>(given);
  if (!text.isWellFormed()) anomalies.add('lone_surrogate');
  if (text.includes('\0')) anomalies.add('nul');
  const document = scanDocument(JSON.stringify(text), 0, search);
  if (document === null) throw new Error('JSON.stringify made no JSON');
  return { document, anomalies: [...anomalies], fixes: [] };
}

/** Makes JSON text of an input and finds secrets in it. */
export function readInput(input: RedactionInput, search: Search): ReadInput {
  const given = input.anomalies ?? [];
  if (input.kind === 'text') return readText(input.text, given, search);
  return readJson(input.text, given, search) ?? readText(input.text, [...given, 'not_json'], search);
}
