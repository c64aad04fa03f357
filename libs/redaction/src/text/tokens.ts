import { isAlnum, isDigit, isUpper, isWord, runEnd } from './chars.js';
import type { TextRule, TextScan } from './rule.js';

/** What may follow a prefix. */
type Alphabet = 'word' | 'word-' | 'word-.' | 'alnum' | 'upper';

interface Prefix {
  readonly prefix: string;
  readonly alphabet: Alphabet;
  /** The fewest characters after the prefix. */
  readonly least: number;
  readonly issuer: string;
}

const ALPHABETS: Readonly<Record<Alphabet, (code: number) => boolean>> = {
  word: isWord,
  'word-': (code) => isWord(code) || code === 0x2d,
  'word-.': (code) => isWord(code) || code === 0x2d || code === 0x2e,
  alnum: isAlnum,
  upper: (code) => isUpper(code) || isDigit(code),
};

const list = (issuer: string, alphabet: Alphabet, least: number, prefixes: string): Prefix[] =>
  prefixes.split(' ').map((prefix) => ({ prefix, alphabet, least, issuer }));

// The prefixes by which issuers mark their tokens, so that scanners can tell them.
const PREFIXES: readonly Prefix[] = [
  ...list('sk', 'word-', 8, 'sk- sk_live_ sk_test_ rk_live_ rk_test_ whsec_'),
  ...list('github', 'word', 10, 'ghp_ gho_ ghu_ ghs_ ghr_ github_pat_'),
  ...list('gitlab', 'word-', 8, 'glpat- gldt- glrt- glptt- glcbt- glsoat- glft- gloas-'),
  ...list('slack', 'word-', 8, 'xoxb- xoxp- xoxa- xoxr- xoxs- xoxe- xoxc- xoxd- xapp-'),
  ...list('npm', 'alnum', 16, 'npm_'),
  ...list('pypi', 'word-', 16, 'pypi-'),
  ...list('sendgrid', 'word-.', 16, 'SG.'),
  ...list('huggingface', 'alnum', 16, 'hf_'),
  ...list('counterfoil', 'word-', 20, 'cfk_'),
  ...list('age', 'upper', 10, 'AGE-SECRET-KEY-1'),
  ...list('google', 'word-', 20, 'AIza'),
  ...list('google', 'word-', 10, 'GOCSPX-'),
  ...list('google', 'upper', 20, 'GOOG1E'),
  ...list('google', 'word-', 16, 'ya29.'),
  ...list('shopify', 'alnum', 16, 'shpat_ shpss_ shpca_ shppa_'),
  ...list('square', 'word-', 16, 'sq0csp- sq0atp-'),
  ...list('digitalocean', 'alnum', 16, 'dop_v1_ doo_v1_ dor_v1_'),
  ...list('docker', 'word-', 10, 'dckr_pat_'),
  ...list('vault', 'word-', 16, 'hvs. hvb. hvr.'),
  ...list('linear', 'alnum', 16, 'lin_api_'),
  ...list('rubygems', 'alnum', 16, 'rubygems_'),
  ...list('nvidia', 'word-', 16, 'nvapi-'),
  ...list('replicate', 'alnum', 30, 'r8_'),
  ...list('groq', 'alnum', 20, 'gsk_'),
  ...list('xai', 'word-', 20, 'xai-'),
  ...list('newrelic', 'upper', 16, 'NRAK-'),
  ...list('figma', 'word-', 16, 'figd_'),
  ...list('sentry', 'word-', 16, 'sntrys_ sntryu_'),
  ...list('supabase', 'alnum', 20, 'sbp_'),
  ...list('atlassian', 'word-', 20, 'ATATT3'),
  ...list('grafana', 'word-', 16, 'glsa_ glc_'),
  ...list('databricks', 'alnum', 30, 'dapi'),
];

const LONG_RUN = 64;

/** By the code of their first character. */
const BY_FIRST: Prefix[][] = [];
for (const prefix of PREFIXES) (BY_FIRST[prefix.prefix.charCodeAt(0)] ??= []).push(prefix);
const FIRST_CHARACTERS = [...new Set(PREFIXES.map(({ prefix }) => prefix.charAt(0)))].join('');
const NONE: readonly Prefix[] = [];

/** Names of packages and branches have no digit and no capital: `sk-learn-contrib`, `pypi-attestations`. */
function isMixed(text: string, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    if (isDigit(code) || isUpper(code)) return true;
  }
  return false;
}

function match(scan: TextScan, at: number): number {
  const { text } = scan;
  const second = text.charCodeAt(at + 1);
  for (const { prefix, alphabet, least, issuer } of BY_FIRST[text.charCodeAt(at)] ?? NONE) {
    if (prefix.charCodeAt(1) !== second || !text.startsWith(prefix, at)) continue;
    const from = at + prefix.length;
    const end = runEnd(text, from, text.length, ALPHABETS[alphabet]);
    if (end - from < least) continue;
    if (!isMixed(text, from, end)) {
      // Go on behind a long run: it may hold the prefix again and again, and each time would look to its end.
      if (end - from > LONG_RUN) return end;
      continue;
    }
    // A word character that the alphabet lacks: something longer, of another kind.
    if (isWord(text.charCodeAt(end))) continue;
    scan.found.push({ start: at, end, rule: `token.${issuer}` });
    return end;
  }
  return at;
}

/** Tokens that their issuers mark with a prefix. */
export const prefixedTokens: TextRule = { name: 'token', triggers: FIRST_CHARACTERS, atTokenStart: true, match };
