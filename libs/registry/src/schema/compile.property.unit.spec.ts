import type { AnySchema } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { admitArguments } from '@counterfoil/canonical';
import { codeOf, registeringSchema, registryContext } from '@counterfoil/testing';
import { decideRegistry } from '../decide.js';
import { initialRegistry } from '../state.js';
import { compileSchema, type Violation } from './compile.js';
import { SchemaError } from './schema-error.js';

const NAMES = ['a', 'b', 'toString', '__proto__', 'constructor', '$ref', 'properties', 'password', 'é"/~'];
const name = fc.constantFrom(...NAMES);
const type = fc.constantFrom('object', 'array', 'string', 'number', 'integer', 'boolean', 'null');
const odd = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.constantFrom('#', '#/$defs/a', '#/properties/a', '#a', 'https://example.test/x', '', -1),
);

/** An own member, whatever its name. */
const mapOf = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<Record<string, T>> =>
  fc.array(fc.tuple(name, value), { maxLength: 3 }).map((entries) => Object.fromEntries(entries) as Record<string, T>);

/** Schemas as they should be, and as they shouldn't. */
const schema = fc.letrec<{ schema: unknown }>((tie) => {
  const inner = tie('schema');
  const keyword = fc.oneof(
    fc.tuple(fc.constant('type'), fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 }))),
    fc.tuple(fc.constantFrom('properties', '$defs', 'patternProperties', 'dependentSchemas', 'definitions'), mapOf(inner)),
    fc.tuple(
      fc.constantFrom('items', 'contains', 'additionalProperties', 'propertyNames', 'not', 'if', 'then', 'unevaluatedProperties'),
      inner,
    ),
    fc.tuple(fc.constantFrom('allOf', 'anyOf', 'oneOf', 'prefixItems'), fc.array(inner, { minLength: 1, maxLength: 3 })),
    fc.tuple(fc.constant('required'), fc.uniqueArray(name, { maxLength: 3 })),
    fc.tuple(fc.constantFrom('const', 'default', 'x-own'), fc.jsonValue({ maxDepth: 2 })),
    fc.tuple(fc.constantFrom('enum', 'examples'), fc.array(fc.jsonValue({ maxDepth: 1 }), { minLength: 1, maxLength: 3 })),
    fc.tuple(
      fc.constantFrom('minLength', 'maxLength', 'minimum', 'multipleOf', 'minItems', 'maxProperties'),
      fc.integer({ min: 1, max: 5 }),
    ),
    fc.tuple(fc.constant('pattern'), fc.constantFrom('^a', 'b+$', '^(a|b)*$', '(?=a)', '(', '\\p{L}')),
    fc.tuple(fc.constant('format'), fc.constantFrom('email', 'uri', 'regex', 'date', 'nothing', 'toString')),
    fc.tuple(fc.constant('uniqueItems'), fc.boolean()),
    fc.tuple(fc.constantFrom('$ref', '$dynamicRef', '$id', '$anchor', '$schema', '$async', 'items', 'type', 'required'), odd),
  );
  const object = fc.array(keyword, { maxLength: 4 }).map((entries) => Object.fromEntries(entries) as unknown);
  return { schema: fc.oneof({ maxDepth: 4 }, fc.boolean(), object, object) };
}).schema;

const args = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  mapOf(fc.oneof(fc.jsonValue({ maxDepth: 2 }), mapOf(fc.jsonValue({ maxDepth: 1 })))),
  fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 4 }),
);

function compiled(text: string): Violation | null {
  try {
    return compileSchema(text);
  } catch (error) {
    if (error instanceof SchemaError) return null;
    throw error;
  }
}

/**
 * Ajv as it comes, with its own comparisons, references and the platform's expressions. Null where it has no answer: to what it doesn't
 * compile, and to what leads in a circle before anything else is looked at.
 */
function plainAjv(value: unknown): ((each: unknown) => boolean | null) | null {
  const ajv = new Ajv2020({
    strict: false,
    logger: false,
    ownProperties: true,
    validateFormats: false,
    meta: false,
    validateSchema: false,
  });
  try {
    const validate = ajv.compile(value as AnySchema);
    return (each) => {
      try {
        return validate(each) === true;
      } catch (error) {
        if (error instanceof RangeError) return null;
        throw error;
      }
    };
  } catch {
    return null;
  }
}

describe('any schema', () => {
  it('means what Ajv says that it means', () => {
    let compared = 0;
    let violated = 0;
    fc.assert(
      fc.property(schema, fc.array(args, { minLength: 1, maxLength: 6 }), (value, many) => {
        const text = JSON.stringify(value);
        // What only ours knows, and what only ours gets right: formats, older dialects, members that hide a method.
        if (/"format"|"\$schema"|constructor|toString|__proto__/.test(text + JSON.stringify(many))) return;
        const [ours, plain] = [compiled(text), plainAjv(value)];
        if (ours === null || plain === null) return;
        for (const each of many) {
          compared++;
          const violation = ours(JSON.stringify(each));
          if (violation !== null) violated++;
          const expected = plain(each);
          if (expected !== null) expect([text, each, violation === null]).toEqual([text, each, expected]);
        }
      }),
      { numRuns: 1_500 },
    );
    expect(compared).toBeGreaterThan(500);
    expect(violated).toBeGreaterThan(100);
  });

  it('is compiled or refused, and what is compiled says yes or no to any arguments, the same each time', () => {
    let taken = 0;
    fc.assert(
      fc.property(schema, fc.array(args, { minLength: 1, maxLength: 4 }), (value, many) => {
        const check = compiled(JSON.stringify(value));
        if (check === null) return;
        taken++;
        for (const each of many) {
          const admission = admitArguments(JSON.stringify(each));
          if (!admission.ok) continue;
          const text = admission.canonical;
          const violation = check(text);
          expect(violation === null || (violation.length > 0 && violation.length < 320)).toBe(true);
          expect(check(text)).toBe(violation);
        }
      }),
      { numRuns: 600 },
    );
    expect(taken).toBeGreaterThan(200);
  });

  it('says nothing in the words of the caller', () => {
    const marked = fc.oneof(
      mapOf(fc.constantFrom('CALLER', ['CALLER'], { CALLER: 1 })),
      fc.constantFrom<unknown>({ CALLER: 'CALLER' }, ['CALLER', { CALLER: ['CALLER'] }], 'CALLER'),
    );
    fc.assert(
      fc.property(schema, fc.array(marked, { minLength: 1, maxLength: 4 }), (value, many) => {
        const check = compiled(JSON.stringify(value));
        for (const each of many) expect(check?.(JSON.stringify(each)) ?? '').not.toContain('CALLER');
      }),
      { numRuns: 600 },
    );
  });

  it('is registered or refused with a code of its own', () => {
    const codes = new Set<string | null>();
    fc.assert(
      fc.property(fc.oneof(schema, fc.jsonValue()), (value) => {
        codes.add(codeOf(() => decideRegistry(initialRegistry(), registeringSchema(value), registryContext())));
      }),
      { numRuns: 400 },
    );
    expect([...codes].filter((code) => code !== null && !code.startsWith('tool_schema_'))).toEqual([]);
    expect(codes.has(null)).toBe(true);
  });
});
