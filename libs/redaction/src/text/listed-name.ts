import type { SecretKind } from '../keys/secret-keys.js';
import type { KeyBefore } from './key-before.js';
import type { RuleSet } from './rule.js';

const LOOKED_BACK = 160;
const VALUE_KEY = /^(?:value|val)$/i;
const NAME_BEFORE =
  /["'](?:name|key|header|field|variable)\\{0,63}["']\s{0,4}:\s{0,4}\\{0,63}["']([A-Za-z0-9_.-]{1,64})\\{0,63}["']\s{0,4},\s{0,8}\\{0,63}["']$/i;

const ATTRIBUTE_BEFORE = /\b(?:name|key)=\\{0,63}["']([A-Za-z0-9_.:-]{1,64})\\{0,63}["']\s{1,8}$/i;

/**
 * The kind of `"value"` in `"name":"Authorization","value":` of a header list, in text that is no JSON as a whole; and of the
 * attribute in `<add key="Password" value="…">`.
 */
export function listedName(text: string, key: KeyBefore, rules: RuleSet): SecretKind | null {
  if (!VALUE_KEY.test(key.name)) return null;
  const before = key.quote === null ? ATTRIBUTE_BEFORE : NAME_BEFORE;
  const name = before.exec(text.slice(Math.max(0, key.start - LOOKED_BACK), key.start))?.[1];
  return name === undefined ? null : rules.kindOf(name);
}
