import { admitArguments, unescapeString, type Admission } from '@counterfoil/canonical';
import type { Anomaly, RawValue } from '@counterfoil/contracts';
import { argumentsJson } from '@counterfoil/history';

/** What an old runtime passed to a tool. */
export interface OldArguments {
  /** Structured as records of history are: a text in the fields it is made of, an object with its old keys renamed. */
  readonly admission: Admission;
  /** For the old matching rules: the text, empty where there was none; null for what is no text. */
  readonly text: string | null;
}

/**
 * Reads old arguments by the conventions of the old tools (docs/history.md). What has no exact form stays as it came: such a call has run
 * all the same, and has no operation id.
 *
 * @param tool by its canonical name
 * @param args null for none
 */
export function oldArguments(tool: string, args: RawValue | null): OldArguments {
  if (args === null) return { admission: admitArguments(argumentsJson(tool, { kind: 'absent' }, false)), text: '' };
  const { text: json, anomalies } = args;
  if (json.startsWith('"')) {
    const text = unescapeString(json, 0, json.length);
    return { admission: admitArguments(argumentsJson(tool, { kind: 'text', text }, false), badBytes(anomalies)), text };
  }
  return { admission: structured(tool, json, anomalies), text: null };
}

/** Of a string's own spelling only bytes that are no UTF-8 are lost once it is read: everything else is found again in what it says. */
const badBytes = (anomalies: readonly Anomaly[]): Anomaly[] => anomalies.filter((anomaly) => anomaly === 'invalid_utf8');

function structured(tool: string, json: string, anomalies: readonly Anomaly[]): Admission {
  const admitted = admitArguments(json, anomalies);
  if (!admitted.ok) return admitted;
  // Admitted text says to JSON.parse exactly what it says, and is not deep.
  const value: unknown = JSON.parse(json);
  const recorded = isObject(value) ? ({ kind: 'object', value } as const) : ({ kind: 'other', value } as const);
  return admitArguments(argumentsJson(tool, recorded, false));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
