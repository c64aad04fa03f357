import { JsonSyntaxError, scanJson } from '@counterfoil/canonical';
import type { AnomalyKind, JsonVisitor } from '@counterfoil/canonical';

/** Levels of nesting of a record, as of arguments (promise 5). */
const MAX_DEPTH = 256;

/** What JSON.parse refuses: Python writes the first two. */
const NO_JSON = ['not_json', 'not_a_number', 'infinity', 'control_character'] as const satisfies readonly AnomalyKind[];
/** Kept losslessly by escapes and marked (promise 24). */
const HARMLESS = ['lone_surrogate', 'nul'] as const satisfies readonly AnomalyKind[];

type NoJson = (typeof NO_JSON)[number];
type Harmless = (typeof HARMLESS)[number];
/** Readers of one text with such an anomaly disagree on what it says. */
export type Ambiguity = Exclude<AnomalyKind, NoJson | Harmless>;

export type JsonReading =
  | { readonly ok: true; readonly value: unknown; readonly ambiguity: Ambiguity | null; readonly anomalies: readonly Harmless[] }
  | { readonly ok: false; readonly reason: NoJson };

const includes = <T extends AnomalyKind>(kinds: readonly T[], kind: AnomalyKind): kind is T =>
  (kinds as readonly AnomalyKind[]).includes(kind);
const ignore = (): void => undefined;

function anomaliesOf(text: string): Set<AnomalyKind> {
  const found = new Set<AnomalyKind>();
  const visitor: JsonVisitor = {
    startObject: ignore,
    endObject: ignore,
    startArray: ignore,
    endArray: ignore,
    key: ignore,
    string: ignore,
    number: ignore,
    literal: ignore,
    anomaly: (kind) => void found.add(kind),
  };
  try {
    scanJson(text, visitor, { lenient: true, maxDepth: MAX_DEPTH });
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    found.add('not_json');
  }
  return found;
}

/** Parses a JSON text and says what is odd about it. Linear, and no recursion on the text's depth. */
export function readJson(text: string): JsonReading {
  const kinds = [...anomaliesOf(text)];
  const refusal = kinds.includes('not_json') ? 'not_json' : kinds.find((kind) => includes(NO_JSON, kind));
  if (refusal !== undefined) return { ok: false, reason: refusal };
  const isAmbiguity = (kind: AnomalyKind): kind is Ambiguity => !includes(NO_JSON, kind) && !includes(HARMLESS, kind);
  // A doubled key comes before all else: it may hide what the text is at all.
  const ambiguity = kinds.includes('duplicate_key') ? 'duplicate_key' : (kinds.find(isAmbiguity) ?? null);
  return { ok: true, value: JSON.parse(text), ambiguity, anomalies: kinds.filter((kind) => includes(HARMLESS, kind)) };
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
