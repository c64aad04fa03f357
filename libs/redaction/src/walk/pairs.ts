import { isSecretHeader } from '../keys/secret-keys.js';
import type { SecretKind } from '../keys/secret-keys.js';
import { isBasicPair } from '../text/options.js';
import type { RuleSet } from '../text/rule.js';
import { isListedWord, isPath, staysUnderKey } from '../values/placeholders.js';
import type { Frame, PairValue } from './frame.js';
import type { SecretValue } from './model.js';

const NAME_KEYS = new Set(['name', 'key', 'header', 'headername', 'field', 'variable', 'var', 'param', 'parameter', 'k']);
const VALUE_KEYS = new Set(['value', 'values', 'val', 'v']);

const isIn = (set: ReadonlySet<string>, key: string): boolean => key.length <= 10 && set.has(key.toLowerCase());
export const isNameKey = (key: string): boolean => isIn(NAME_KEYS, key);
export const isValueKey = (key: string): boolean => isIn(VALUE_KEYS, key);

const WORKING_DIRECTORY = /^(?:old)?pwd$/i;

/** Whether a string under a key of this kind is a secret. */
export function isSecretText(kind: SecretKind, key: string, text: string): boolean {
  if (staysUnderKey(text)) return false;
  if (kind === 'auth') return isBasicPair(text);
  return !(kind === 'password' && WORKING_DIRECTORY.test(key.slice(-8)) && isPath(text));
}

const secret = (parent: Frame, { start, end, type, step }: PairValue, kind: SecretKind): SecretValue => ({
  start,
  end,
  kind,
  type,
  parent,
  step,
});

/** The secret of {"name":"Authorization","value":"…"}, whichever of the two comes first. */
export function objectPair(frame: Frame, rules: RuleSet): SecretValue | null {
  const { pairName, pairValue } = frame;
  if (pairName === null || pairValue === null) return null;
  const kind = rules.kindOf(pairName);
  if (kind === null || (pairValue.type === 'string' ? !isSecretText(kind, pairName, pairValue.text) : kind === 'auth')) return null;
  return secret(frame, pairValue, kind);
}

/** A word in a list of words, like ["password","email"] under `required`. */
const isListed = (text: string, rules: RuleSet): boolean => isListedWord(text) || rules.kindOf(text) !== null;

/** The secret of ["Authorization","…"]. */
export function arrayPair(frame: Frame, rules: RuleSet): SecretValue | null {
  const { first, pairValue } = frame;
  if (frame.count !== 2 || first === null || pairValue === null) return null;
  const kind = rules.kindOf(first);
  if (kind === null || isListed(pairValue.text, rules) || !isSecretText(kind, first, pairValue.text)) return null;
  return secret(frame, pairValue, kind);
}

/** What the element before says about a string in an array: `--password`, or the name of a header in a flat list. */
export function elementKind(frame: Frame, text: string, rules: RuleSet): SecretKind | null {
  const { previous } = frame;
  if (previous === null) return null;
  if (previous.startsWith('--') && previous.length <= 64 && !previous.includes('=') && !previous.includes(' ')) {
    return text.startsWith('-') ? null : rules.kindOf(previous);
  }
  return frame.count % 2 === 1 && isSecretHeader(previous) && !isListed(text, rules) ? rules.kindOf(previous) : null;
}

/** Whether a string in an array is the argument of `curl -u`. */
export function isUserArgument(frame: Frame): boolean {
  const { previous, first } = frame;
  if (previous === null || first === null || !/^(?:-u|-U|--user|--proxy-user)$/.test(previous)) return false;
  return /(?:^|[\\/])(?:curl|wget|https?|xh)(?:\.exe)?$/.test(first.slice(-64));
}

// Keywords of JSON Schema and OpenAPI that describe a value and never hold one.
const SCHEMA_KEYWORDS = new Set(
  (
    'type title description format pattern minlength maxlength minimum maximum exclusiveminimum exclusivemaximum multipleof readonly writeonly ' +
    'nullable deprecated $ref $id $comment items properties required additionalproperties anyof oneof allof not if then else minitems maxitems ' +
    'uniqueitems minproperties maxproperties contentencoding contentmediatype'
  ).split(' '),
);

/** Whether a member of a secret's schema only describes it. */
export const isSchemaKeyword = (key: string): boolean => key.length <= 24 && SCHEMA_KEYWORDS.has(key.toLowerCase());

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,127}=/;

/** The length of `NAME=` at the start of a string; 0 if there is none. */
export const variableLength = (text: string): number => VARIABLE.exec(text.slice(0, 130))?.[0].length ?? 0;
