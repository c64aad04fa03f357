import { Ajv, type AnySchema, type Options, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { dialectOf, type Dialect } from './dialect.js';
import { formatsFor } from './formats.js';
import { replaceKeywords } from './keywords.js';
import { checkLimits } from './limits.js';
import { LinearPattern, PatternError } from './linear-pattern.js';
import { checkAgainstMetaSchema } from './meta-schema.js';
import { Meter, WorkLimitError } from './meter.js';
import { SchemaError } from './schema-error.js';
import { contentOf } from './walk.js';
import { Weights } from './weights.js';
import { violationIn, words } from './words.js';

/** Null if the arguments fit; else where the schema is violated, in its own words. Takes arguments in RFC 8785 form; never throws. */
export type Violation = (canonicalArguments: string) => string | null;

/** Values that one check may look at, times keywords that it may look at each with: less than a second. */
const MOST_WORK = 50_000_000;
/** Instructions of all patterns of a schema together. */
const MOST_INSTRUCTIONS = 20_000;

/**
 * Makes the check of a tool's input schema. No keyword brings code, nothing is fetched, and nothing is shared between schemas: not
 * even an `$id`. Formats are checked. What the check costs is bounded for any arguments (see Meter, LinearPattern).
 *
 * @param text a JSON Schema as JSON text that has an exact canonical form
 * @throws SchemaError for what is no schema, refers outside of itself, or can't be checked within bounds
 */
export function compileSchema(text: string): Violation {
  const root = JSON.parse(text) as AnySchema;
  const content = contentOf(root);
  checkLimits(root, content);
  const dialect = dialectOf(root);
  checkAgainstMetaSchema(root, dialect);
  const meter = new Meter();
  const validate = compiled(root, dialect, meter);
  const allowed = Math.floor(MOST_WORK / content.size);
  const check = (value: unknown): string | null => {
    const weights = new Weights(value);
    return meter.run(allowed, weights, () => (validate(value) ? null : violationIn(validate.errors)));
  };
  probe(check);
  return (canonicalArguments) => answerOf(check, canonicalArguments);
}

function answerOf(check: (value: unknown) => string | null, canonicalArguments: string): string | null {
  try {
    return check(JSON.parse(canonicalArguments));
  } catch (error) {
    if (error instanceof WorkLimitError) return 'the arguments are too large to be checked against the schema';
    // Arguments that can't be checked are never taken for checked.
    return 'the schema cannot be applied to the arguments';
  }
}

function compiled(root: AnySchema, dialect: Dialect, meter: Meter): ValidateFunction {
  const ajv = dialect === 'draft-07' ? new Ajv(optionsFor(meter)) : new Ajv2020(optionsFor(meter));
  // A format named `constructor` is none.
  Object.setPrototypeOf(ajv.formats, null);
  for (const [name, format] of Object.entries(formatsFor(meter))) ajv.addFormat(name, format);
  replaceKeywords(ajv, meter);
  try {
    const validate = ajv.compile(root);
    if ('$async' in validate) throw new SchemaError('it asks for checks that are not immediate ($async)');
    return validate;
  } catch (error) {
    throw asSchemaError(error);
  }
}

/** The patterns of one schema: each is made once. */
function patternsFor(meter: Meter): (source: string) => LinearPattern {
  const patterns = new Map<string, LinearPattern>();
  let size = 0;
  return (source) => {
    const known = patterns.get(source);
    if (known !== undefined) return known;
    const pattern = new LinearPattern(source, meter);
    size += pattern.size;
    if (size > MOST_INSTRUCTIONS) throw new SchemaError('its patterns are too large together');
    patterns.set(source, pattern);
    return pattern;
  };
}

function optionsFor(meter: Meter): Options {
  return {
    strict: false,
    logger: false,
    allErrors: false,
    // The caller's own members only: `toString` is not there unless it was sent.
    ownProperties: true,
    // Checked already, by one checker for all.
    meta: false,
    validateSchema: false,
    // A part that is referred to a hundred times is not written out a hundred times.
    inlineRefs: false,
    code: { optimize: false, regExp: Object.assign(patternsFor(meter), { code: 'LinearPattern' }) },
  };
}

/** What Ajv says may quote the schema, at any length: what is common is said in our words, and the rest is cut. */
function asSchemaError(error: unknown): SchemaError {
  if (error instanceof SchemaError) return error;
  if (error instanceof PatternError) return new SchemaError(`a pattern in it cannot be used: ${error.reason}`);
  if (error instanceof Ajv.MissingRefError) return new SchemaError('it refers to something outside of itself, or that is not there');
  if (error instanceof RangeError) return new SchemaError('its parts refer to each other too deeply');
  return new SchemaError(words(error instanceof Error ? error.message : 'it cannot be compiled'));
}

/** A schema that comes to itself without going into the arguments never ends; that shows at once, and on anything. */
function probe(check: (value: unknown) => string | null): void {
  try {
    for (const value of [{}, [], '', 0, true, null]) check(value);
  } catch {
    throw new SchemaError('it refers to itself too often to be checked at all');
  }
}
