import { isDigit, isLetter } from '../text/chars.js';
import { wordsOf } from './words.js';

/** What kind of secret a key of this name holds. */
export type SecretKind =
  | 'password'
  | 'secret'
  | 'token'
  | 'api_key'
  | 'private_key'
  | 'authorization'
  | 'cookie'
  | 'credentials'
  | 'connection'
  /** `auth` alone: a secret only if its value reads like one. */
  | 'auth';

const LAST_WORDS: ReadonlyMap<string, SecretKind> = new Map<string, SecretKind>([
  ...['password', 'passwords', 'passwd', 'pwd', 'passphrase', 'passcode'].map((word) => [word, 'password'] as const),
  ...['secret', 'secrets'].map((word) => [word, 'secret'] as const),
  ['token', 'token'],
  ...['authorization'].map((word) => [word, 'authorization'] as const),
  ...['cookie', 'cookies'].map((word) => [word, 'cookie'] as const),
  ...['credential', 'credentials', 'creds'].map((word) => [word, 'credentials'] as const),
  ['dsn', 'connection'],
]);

/** Names written without any separation, by their ends. */
const RUN_TOGETHER: readonly (readonly [string, SecretKind])[] = [
  ...['password', 'passwd', 'passphrase'].map((end) => [end, 'password'] as const),
  ...['clientsecret', 'sharedsecret', 'appsecret', 'jwtsecret'].map((end) => [end, 'secret'] as const),
  ...['accesstoken', 'refreshtoken', 'authtoken', 'sessiontoken', 'csrftoken', 'xsrftoken', 'idtoken', 'bottoken', 'apitoken'].map(
    (end) => [end, 'token'] as const,
  ),
  ...['bearertoken', 'usertoken', 'githubtoken'].map((end) => [end, 'token'] as const),
  ...['apikey', 'secretkey', 'accesskey', 'accountkey'].map((end) => [end, 'api_key'] as const),
  ['privatekey', 'private_key'],
  ['connectionstring', 'connection'],
  ['proxyauthorization', 'authorization'],
  ['setcookie', 'cookie'],
];

/** `<word>_key`. A `key` alone, and public, primary, cache, sort, routing … keys are no secrets. */
const KEY_OWNERS = new Set(
  (
    'api access secret signing signature encryption decryption master account shared subscription auth session service license deploy ' +
    'storage webhook admin root app hmac aes role'
  ).split(' '),
);

/** `<word>_pass`; `pass` alone is what tests do. */
const PASS_OWNERS = new Set(
  'db database user smtp mysql postgres pg redis mail email imap ftp ssh proxy root admin auth login http'.split(' '),
);

/** `<word>_token` that is no secret: pages, models of language, parsers, idempotency. */
const OPEN_TOKENS = new Set(
  (
    'page pagination next prev previous cursor continuation continue sync cancellation cancel idempotency ' +
    'mask pad padding eos bos unk sep cls stop special end start begin max min per first last input output prompt completion total num ' +
    'count syntax current unexpected expected invalid illegal unknown missing reserved keyword lookahead string number'
  ).split(' '),
);

/** `<word>_password`: a switch or a link, not a password. */
const SWITCHES = new Set('forgot forgotten show hide has is requires require needs toggle no without supports allow min max'.split(' '));

/** `password_<word>` that is still the password. */
const SUFFIXES = new Set('value string plain plaintext confirm confirmation hash base'.split(' '));

function byRunTogether(word: string): SecretKind | null {
  for (const [end, kind] of RUN_TOGETHER) {
    if (word.endsWith(end)) return SWITCHES.has(word.slice(0, -'password'.length)) ? null : kind;
  }
  return null;
}

function byLastWord(last: string, previous: string, count: number): SecretKind | null {
  if (last === 'key') {
    if (previous === 'private') return 'private_key';
    return KEY_OWNERS.has(previous) ? 'api_key' : null;
  }
  if (last === 'pass') return PASS_OWNERS.has(previous) ? 'password' : null;
  if (last === 'string' || last === 'str') return previous === 'connection' || previous === 'conn' ? 'connection' : null;
  if (last === 'auth') return count === 1 ? 'auth' : null;
  const kind = LAST_WORDS.get(last) ?? byRunTogether(last);
  if (kind === 'token' && OPEN_TOKENS.has(previous)) return null;
  if ((kind === 'password' || kind === 'secret') && SWITCHES.has(previous)) return null;
  return kind;
}

function classify(name: string): SecretKind | null {
  // A key that went out: the words of its mark are ours.
  if (name.endsWith(']') && name.includes('[redacted:')) return null;
  const words = wordsOf(name);
  const last = words.at(-1);
  if (last === undefined) return null;
  const kind = byLastWord(last, words.at(-2) ?? '', words.length);
  if (kind !== null || !SUFFIXES.has(last)) return kind;
  const base = byLastWord(words.at(-2) ?? '', words.at(-3) ?? '', words.length - 1);
  return base === 'password' || (base === 'secret' && last !== 'hash') ? base : null;
}

/** The last three letters of all words that a secret key ends with: most names are told from one by them, without being cut out. */
const ENDINGS = new Uint8Array(26 * 26 * 26);

const LOOKED_BEHIND = 24;

const letter = (code: number): number => (code | 0x20) - 0x61;

function endingAt(text: string, end: number): number {
  return (letter(text.charCodeAt(end - 3)) * 26 + letter(text.charCodeAt(end - 2))) * 26 + letter(text.charCodeAt(end - 1));
}

for (const word of [...LAST_WORDS.keys(), ...RUN_TOGETHER.map(([end]) => end), ...SUFFIXES, 'key', 'pass', 'string', 'str', 'auth']) {
  ENDINGS[endingAt(word, word.length)] = 1;
}

/**
 * Whether a name that ends before `end` in a text could be that of a secret, by its last letters: quick, and true for some that
 * are none.
 */
export function mayEndSecretName(text: string, end: number): boolean {
  let at = end;
  // Separators and numbers behind the last word.
  while (at > 0 && end - at < LOOKED_BEHIND && !isLetter(text.charCodeAt(at - 1))) {
    const code = text.charCodeAt(at - 1);
    if (!isDigit(code) && code !== 0x5f && code !== 0x2d && code !== 0x2e && code !== 0x20 && code !== 0x24) return true;
    at--;
  }
  if (end - at === LOOKED_BEHIND) return true;
  return isLetter(text.charCodeAt(at - 2)) && isLetter(text.charCodeAt(at - 3)) && ENDINGS[endingAt(text, at)] === 1;
}

// The same few names come again and again; the cache is bounded, and only short names enter it.
const CACHE_SIZE = 4096;
const CACHED_LENGTH = 64;
const cache = new Map<string, SecretKind | null>();

/**
 * Whether a key of this name holds a secret, by its last words, whatever its case and separators: `api_key`, `X-Api-Key`,
 * `apiKey`, `TELEGRAM_BOT_TOKEN`, `db.password`. Not: `token_count`, `tokenizer`, `password_policy`, `next_page_token`,
 * `public_key`, `key`, `author`. The table is in docs/redaction.md.
 */
export function secretKindOf(name: string): SecretKind | null {
  if (!mayEndSecretName(name, name.length)) return null;
  if (name.length > CACHED_LENGTH) return classify(name);
  const cached = cache.get(name);
  if (cached !== undefined) return cached;
  const kind = classify(name);
  if (cache.size >= CACHE_SIZE) cache.clear();
  cache.set(name, kind);
  return kind;
}

const HEADERS = new Set(['authorization', 'proxy-authorization', 'cookie', 'set-cookie', 'x-api-key', 'x-auth-token']);

/** Whether this is exactly the name of an HTTP header that carries a secret, in any case. */
export const isSecretHeader = (name: string): boolean => name.length <= 20 && HEADERS.has(name.toLowerCase());
