import { canonicalize, type FingerprintKey } from '@counterfoil/canonical';
import { redactRecord } from '@counterfoil/redaction';
import { isObject, valuesIn } from './json.js';
import type { SchemaContent, SchemaValue } from './walk.js';

/** Choices as schemas have them: `["none","bearer"]` under `authorization` is no secret. */
const CHOICE = /^[A-Za-z][A-Za-z_-]{0,31}$/;

/**
 * Whether a schema holds what the redaction door would take out (promise 21). The door's rules for keys are for instances: a schema has
 * properties named `password` and `token`, and says what they are like. So its names and texts go through the door one by one, where
 * only rules for text see them; and each instance in it (`default`, `const`, `enum`, `examples`) under the name of the property that it
 * is of, as if it had been sent.
 *
 * @returns the rule that would have redacted it; null for none
 */
export function secretRuleInSchema(root: unknown, content: SchemaContent, key: FingerprintKey): string | null {
  const texts = JSON.stringify([...textsIn(root)].map((text) => [text]));
  const instances = canonicalize(content.values.filter((value) => !isChoice(value)).map(asSent));
  const { payloads } = redactRecord(
    { texts: { kind: 'json', text: texts }, instances: { kind: 'json', text: instances } },
    // It is small, and all of it is looked at.
    { key, known: [], window: Infinity, limits: { texts: Infinity, instances: Infinity } },
  );
  return payloads.texts?.redactions[0]?.rule ?? payloads.instances?.redactions[0]?.rule ?? null;
}

function textsIn(root: unknown): Set<string> {
  const texts = new Set<string>();
  for (const { value } of valuesIn(root)) {
    if (typeof value === 'string') texts.add(value);
    else if (isObject(value)) for (const name of Object.keys(value)) texts.add(name);
  }
  return texts;
}

const isChoice = ({ keyword, value }: SchemaValue): boolean => keyword === 'enum' && typeof value === 'string' && CHOICE.test(value);

/** An own member, whatever its name. */
const asSent = ({ property, value }: SchemaValue): unknown => (property === null ? value : Object.fromEntries([[property, value]]));
