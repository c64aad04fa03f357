import type { ErrorObject } from 'ajv';

const LONGEST = 300;

/** Cuts a text to a bounded length, between characters. */
export function words(text: string): string {
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST).toWellFormed()}…`;
}

/**
 * Where a schema is violated, in the schema's own words: keyword, path in the schema, and the property that it misses. Never the path
 * in the arguments nor a property that is too much: those are the caller's.
 */
export function violationIn(errors: readonly ErrorObject[] | null | undefined): string {
  // The last one is the outermost: after the options of an anyOf, the anyOf itself.
  const error = errors?.at(-1);
  if (error === undefined) return 'the schema is violated';
  const missing: unknown = (error.params as { readonly missingProperty?: unknown }).missingProperty;
  const what = typeof missing === 'string' ? `, which misses ${JSON.stringify(missing)}` : '';
  return words(`${error.keyword} at ${error.schemaPath}${what}`);
}
