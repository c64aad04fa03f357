import { secretKindOf } from '../keys/secret-keys.js';
import { marksOf } from '../marks.js';
import { isAlnum, isLower, isUpper } from '../text/chars.js';

// Lists are of words, not of shapes, so that a weak password is not taken for prose.
const words = (list: string): ReadonlySet<string> => new Set(list.split(' '));

/** Never a secret: absent values, names of types, and the settings that stand under `credentials` and `secrets`. */
const EMPTY_WORDS = words(
  'null none nil undefined nan true false void string str number integer int float double bool boolean object array list dict map any unknown ' +
    'never bytes bytea buffer text varchar char optional union secretstr callable function async await new include omit same-origin inherit read write typeof void delete yield uint8array arraybuffer',
);

/** What stands after `password:` in a sentence or an error. */
const PROSE_WORDS = words(
  'required missing invalid expired empty unset incorrect wrong failed ok yes no not is must should cannot was the a an to for and or with in of ' +
    'if we you it this that expected unexpected denied disabled enabled default prompt set unavailable rejected mismatch',
);

/** Redacted under a key, but too common to be looked for elsewhere. */
const WEAK_WORDS = words(
  'password passwords passwd passphrase secret secrets token tokens apikey credential credentials authorization bearer cookie session changeme ' +
    'change_me change-me default example sample placeholder required optional missing invalid expired enabled disabled hidden masked removed ' +
    'filtered redacted private public admin administrator username testing test-user service_account localhost production staging development',
);

/** Words that follow an option in a sentence: "the --token flag". */
const OPTION_PROSE = words('flag option argument parameter is are was and or to in for with value must should can cannot may the instead');

const LONGEST_WORD = 16;

/** A single word as prose has it: letters, at most the first one a capital. */
export function isPlainWord(value: string): boolean {
  if (value.length === 0 || value.length > LONGEST_WORD) return false;
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at);
    if (!isLower(code) && !(at === 0 && isUpper(code))) return false;
  }
  return true;
}

const inSet = (set: ReadonlySet<string>, value: string): boolean => value.length <= 20 && set.has(value.toLowerCase());

export const isProseWord = (value: string): boolean => inSet(PROSE_WORDS, value);
export const isOptionProse = (value: string): boolean => inSet(OPTION_PROSE, value);

function hasAlnum(text: string): boolean {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // Letters of other scripts count: a password may be made of them.
    if (isAlnum(code) || code >= 0xc0) return true;
  }
  return false;
}

const SCHEMES = /^(?:bearer|basic|token|digest|apikey)$/i;

/** What is left of a text without its marks; the text itself if it has none. */
function withoutMarks(value: string): string {
  const marks = marksOf(value);
  if (marks.length === 0) return value;
  let rest = '';
  let from = 0;
  for (let at = 0; at < marks.length; at += 2) {
    rest += value.slice(from, marks[at]);
    from = marks[at + 1] ?? from;
  }
  return (rest + value.slice(from)).trim();
}

/** A text that only says that something was taken out: a mark, with a scheme before it perhaps; or asterisks and the like. */
export function isRedacted(value: string): boolean {
  const rest = withoutMarks(value);
  if (rest !== value) return !hasAlnum(rest) || SCHEMES.test(rest);
  if (value.length > 64) return /^(.)\1*$/.test(value.slice(0, 65)) && !hasAlnum(value);
  return !hasAlnum(value)
    ? /^[*•·.…_-]+$/.test(value)
    : /^(?:[xX]{3,}|[[<(]{0,2}(?:redacted|masked|hidden|removed|filtered)[\])>]{0,2})$/i.test(value);
}

const IDENTIFIER = '[A-Za-z_][A-Za-z0-9_]{0,63}';
const REFERENCE = new RegExp(
  `^(?:\\$${IDENTIFIER.replaceAll('a-z', '')}|\\$\\{[^{}]{1,200}\\}|\\$\\([^()]{1,200}\\)|\\{\\{[^{}]{1,200}\\}\\}|\\{${IDENTIFIER}\\}|` +
    `%[sdv]|%\\(${IDENTIFIER}\\)s|%${IDENTIFIER}%|<[A-Za-z][A-Za-z0-9 _.-]{0,60}>|@?(?:process\\.env|os\\.environ|env|secrets|vars)\\.${IDENTIFIER})$`,
);

/** A place where a value will be put in, not a value: `$NAME`, `${…}`, `$(…)`, `{{…}}`, `%s`, `<your token>`, `process.env.X`. */
export const isReference = (value: string): boolean => value.length <= 220 && REFERENCE.test(value);

/** A value that is none, or a word that stands for none. */
export const isEmptyWord = (value: string): boolean => inSet(EMPTY_WORDS, value);

/** Whether a string under a secret key stays as it is: empty, a mark, a reference, the name of a type. */
export function staysUnderKey(value: string): boolean {
  return value.trim() === '' || isEmptyWord(value) || isReference(value) || isRedacted(value);
}

/** Whether a value is worth looking for elsewhere: at least 6 characters, and no word that stands everywhere. */
export function isLearnable(value: string): boolean {
  if (value.length < 6 || staysUnderKey(value) || inSet(WEAK_WORDS, value) || !hasAlnum(value)) return false;
  if (value.length <= 64 && /^(.)\1*$/.test(value)) return false;
  return !(value.length <= 64 && isPlainWord(value) && secretKindOf(value) !== null);
}

const TIME = /^[0-9]{4}-[0-9]{2}-[0-9]{2}(?:[T ][0-9:.,]{5,24}(?:Z|[+-][0-9:]{2,6})?)?$/;
const SETTING = /^(?:[a-z*][a-z0-9_./:*-]{0,63}|[A-Za-z][a-z]{0,31}(?:[A-Z][a-z]{1,31}){0,4}|[0-9.]{1,7}|https?:\/\/[^@\s]{1,200})$/;

/**
 * A member beside secrets, as under `credentials` or `authorization`, that is a plain setting: `"type": "service_account"`, a
 * scope, a time, a sentence, an address without a password. It goes out with the whole, but is not looked for elsewhere.
 */
export function isPlainSetting(value: string): boolean {
  if (TIME.test(value) || /\s/.test(value.trim())) return true;
  return value.length <= 220 && SETTING.test(value) && value.replace(/[^0-9]/g, '').length <= 4;
}

/** A word of one or several parts as lists of names and types have them: `email`, `userName`, `AgentReceipt`. */
export const isListedWord = (value: string): boolean => value.length <= 40 && /^[A-Za-z][a-z]{0,39}(?:[A-Z][a-z]{1,39}){0,5}$/.test(value);

/** `/home/x`, `C:\x`, `~`: what stands under PWD. */
export const isPath = (value: string): boolean => /^(?:[/~.]|[A-Za-z]:[\\/])/.test(value.slice(0, 3));
