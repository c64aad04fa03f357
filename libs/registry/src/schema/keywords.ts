import { canonicalize } from '@counterfoil/canonical';
import { _, type Ajv, type CodeKeywordDefinition, type KeywordDefinition } from 'ajv';
import type { Meter } from './meter.js';

/** Keywords by which a schema comes to another part of itself. */
const REFERENCES = ['$ref', '$dynamicRef'] as const;

/** Writing a value down takes so many times as long as looking at it. */
const WRITING = 8;

/**
 * Equality by RFC 8785 form. Ajv compares each element with each other one, in quadratic time, and asks values for methods that a
 * caller's member may hide (`valueOf`, `constructor`).
 */
function comparing(meter: Meter): readonly KeywordDefinition[] {
  const formOf = (value: unknown): string => {
    meter.look(value, WRITING);
    return canonicalize(value);
  };
  const areUnique = (items: readonly unknown[]): boolean => new Set(items.map(formOf)).size === items.length;
  const isAmong = (expected: readonly unknown[]): ((value: unknown) => boolean) => {
    const forms = new Set(expected.map((each) => canonicalize(each)));
    return (value) => forms.has(formOf(value));
  };
  return [
    { keyword: 'const', errors: false, compile: (expected: unknown) => isAmong([expected]) },
    { keyword: 'enum', schemaType: 'array', errors: false, compile: isAmong },
    {
      keyword: 'uniqueItems',
      type: 'array',
      schemaType: 'boolean',
      errors: false,
      compile: (isWanted: boolean) => (items: readonly unknown[]) => !isWanted || areUnique(items),
    },
  ];
}

/** Puts our own keywords in the place of Ajv's: those that compare, and references, which are counted. */
export function replaceKeywords(ajv: Ajv, meter: Meter): void {
  for (const definition of comparing(meter)) {
    ajv.removeKeyword(String(definition.keyword));
    ajv.addKeyword(definition);
  }
  for (const keyword of REFERENCES) {
    const given = ajv.getKeyword(keyword);
    if (typeof given !== 'object' || !('code' in given)) continue;
    ajv.removeKeyword(keyword);
    ajv.addKeyword(counted(given, meter));
  }
}

function counted(given: CodeKeywordDefinition, meter: Meter): CodeKeywordDefinition {
  const look = (value: unknown): void => {
    meter.look(value);
  };
  return {
    ...given,
    code: (context, ruleType) => {
      const name = context.gen.scopeValue('func', { ref: look });
      context.gen.code(_`${name}(${context.data})`);
      given.code(context, ruleType);
    },
  };
}
