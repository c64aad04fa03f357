import { anomalyVisitor, canonicalOfExactText } from './form/canonical-text.js';
import { scanJson } from './scan/scan.js';
import type { AnomalyKind } from './scan/visitor.js';
import { JsonSyntaxError } from './scan/visitor.js';

/** Why arguments are not admitted. Stable. */
export type AdmissionCode =
  | 'arguments_not_json'
  | 'arguments_duplicate_key'
  | 'arguments_lone_surrogate'
  | 'arguments_number_out_of_range'
  | 'arguments_integer_not_exact'
  | 'arguments_too_deep'
  | 'arguments_too_large';

/** Arguments that have an exact canonical form, or the reason why these have none. `text` is what was given. */
export type Admission =
  | { readonly ok: true; readonly text: string; readonly canonical: string }
  | {
      readonly ok: false;
      readonly text: string;
      readonly code: AdmissionCode;
      /** All kinds that the text shows, each once, in order of appearance. */
      readonly anomalies: AnomalyKind[];
      /** What the matter is and at which UTF-16 offset. Never quotes the text. */
      readonly detail: string;
    };

/** UTF-16 units that arguments may have: their canonical form is made of all of them, while everybody else waits. */
export const MAX_ARGUMENT_UNITS = 4 * 1024 * 1024;

/** Values and keys that arguments may have: each costs many times as much as a character. */
export const MAX_ARGUMENT_VALUES = 200_000;

/** Levels of nesting that arguments may have; a scalar has none. */
export const MAX_ARGUMENT_DEPTH = 256;

interface Finding {
  readonly code: AdmissionCode;
  readonly what: string;
}

const NOT_JSON = (what: string): Finding => ({ code: 'arguments_not_json', what });
const OUT_OF_RANGE: Finding = { code: 'arguments_number_out_of_range', what: 'a number that a double cannot hold' };

const FINDINGS: Readonly<Record<Exclude<AnomalyKind, 'nul'>, Finding>> = {
  duplicate_key: { code: 'arguments_duplicate_key', what: 'a key that its object has already' },
  lone_surrogate: { code: 'arguments_lone_surrogate', what: 'half of a surrogate pair' },
  number_overflow: OUT_OF_RANGE,
  number_underflow: OUT_OF_RANGE,
  integer_inexact: { code: 'arguments_integer_not_exact', what: 'an integer that a double cannot hold exactly' },
  too_deep: { code: 'arguments_too_deep', what: `nesting over ${MAX_ARGUMENT_DEPTH} levels` },
  not_a_number: NOT_JSON('NaN'),
  infinity: NOT_JSON('Infinity'),
  control_character: NOT_JSON('a control character inside a string'),
  invalid_utf8: NOT_JSON('bytes that are not UTF-8'),
  not_json: NOT_JSON('text that is not JSON'),
};

/** Keeps each kind once, and the finding to name: text that is no JSON comes before all others, then the first one wins. */
class Findings {
  readonly kinds = new Set<AnomalyKind>();
  private named: { code: AdmissionCode; detail: string } | undefined;

  add(kind: AnomalyKind, where: string, what?: string): void {
    this.kinds.add(kind);
    if (kind === 'nul') return;
    const finding = FINDINGS[kind];
    if (this.named !== undefined && (this.named.code === 'arguments_not_json' || finding.code !== 'arguments_not_json')) return;
    this.named = { code: finding.code, detail: `${what ?? finding.what} ${where}` };
  }

  refusal(): { code: AdmissionCode; detail: string } | undefined {
    return this.named;
  }
}

/**
 * Decides whether the arguments of a tool call have an exact canonical form (promise 5), and gives it.
 *
 * @param text the raw JSON text: of the `arguments` member, or as a model wrote it
 * @param inherited what the reader of the body found in it, such as `invalid_utf8`; any kind but `nul` refuses it
 */
export function admitArguments(text: string, inherited: readonly AnomalyKind[] = []): Admission {
  if (text.length > MAX_ARGUMENT_UNITS) {
    const detail = `more than ${MAX_ARGUMENT_UNITS} UTF-16 units`;
    return { ok: false, text, code: 'arguments_too_large', anomalies: [...inherited], detail };
  }
  const findings = new Findings();
  let values = 0;
  const count = (): void => {
    values++;
  };
  const counted = { startObject: count, startArray: count, key: count, string: count, number: count, literal: count };
  const anomaly = (kind: AnomalyKind, start: number): void => {
    findings.add(kind, `at offset ${start}`);
  };
  const visitor = { ...anomalyVisitor(anomaly), ...counted };
  try {
    // Leniently, so that all anomalies are known for the record; those that are no JSON are refused as such.
    scanJson(text, visitor, { lenient: true, maxDepth: MAX_ARGUMENT_DEPTH });
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    findings.add('not_json', `at offset ${error.position}`, error.reason);
  }
  for (const kind of inherited) if (!findings.kinds.has(kind)) findings.add(kind, 'in the request');
  const refusal = findings.refusal();
  if (refusal !== undefined) return { ok: false, text, ...refusal, anomalies: [...findings.kinds] };
  if (values > MAX_ARGUMENT_VALUES) {
    const detail = `more than ${MAX_ARGUMENT_VALUES} values and keys`;
    return { ok: false, text, code: 'arguments_too_large', anomalies: [...findings.kinds], detail };
  }
  return { ok: true, text, canonical: canonicalOfExactText(text) };
}
