import { basicPassword, percentDecoded } from '../values/decode.js';
import { isLearnable } from '../values/placeholders.js';

const LONGEST = 256;
const PIECE = 128;
const MOST_PIECES = 64;
const MOST_LINES = 64;
const LEAST_KEY_LINE = 16;

/** The lines of a private key: each is known by itself, so that other indentation or line numbers hide none. */
function keyLines(value: string): string[] {
  const body = value.replace(/-----(?:BEGIN|END) [A-Z0-9 ]{1,64}-----/g, ' ').replace(/\\+[nrt]/g, ' ');
  const lines = body.split(/[^A-Za-z0-9+/=]+/).filter((line) => line.length >= LEAST_KEY_LINE && /[A-Z]/.test(line));
  return lines.slice(0, MOST_LINES).flatMap(pieces);
}

/** A long value in pieces of 128 characters; the last one ends with the value. */
function pieces(value: string): string[] {
  if (value.length <= LONGEST) return [value];
  const out: string[] = [];
  for (let at = 0; at + PIECE <= value.length && out.length < MOST_PIECES; at += PIECE) out.push(value.slice(at, at + PIECE));
  if (value.length % PIECE !== 0) out.push(value.slice(-PIECE));
  return out;
}

const SCHEME = /^(?:bearer|basic|token|apikey|api-key|digest|negotiate|jwt|ntlm)\s{1,8}(?=\S)/i;
const URL_PASSWORD = /^[a-z][a-z0-9+.-]{0,30}:\/\/(?:[^\s:@/]{0,256}:([^\s@]{1,256})@)?/i;

/** The parts of a value that are the secret: behind the scheme of a header, the password of a URL. */
function cores(value: string): string[] {
  const scheme = SCHEME.exec(value)?.[0];
  if (scheme !== undefined) {
    const rest = value.slice(scheme.length).trim();
    const password = basicPassword(rest);
    return password === null ? [rest] : [rest, password];
  }
  const url = URL_PASSWORD.exec(value);
  if (url === null) return [value];
  // What is before the password is no secret, and is the beginning of too many texts to be looked for.
  const rest = value.slice(url[0].length);
  const password = url[1];
  if (password === undefined) return [rest];
  return [password, percentDecoded(password) ?? password];
}

/** As it is spelled in a URL, and in JSON. */
function spellings(value: string): string[] {
  if (value.length > LONGEST || !value.isWellFormed()) return [value];
  const inUrl = encodeURIComponent(value);
  const inJson = JSON.stringify(value).slice(1, -1);
  return [value, ...(inUrl === value || inUrl.length > LONGEST ? [] : [inUrl]), ...(inJson === value ? [] : [inJson])];
}

/**
 * The forms of a secret to look for in other texts, at least 6 characters each: without the scheme before it and the white
 * space around it, with the password that it holds, as URLs and JSON spell it, in pieces if it is long, in lines if it is
 * a private key. None for words that stand everywhere (see `isLearnable`).
 */
export function secretForms(value: string): string[] {
  const trimmed = value.trim();
  if (trimmed.includes('-----BEGIN ') || trimmed.includes('-----END ')) return keyLines(trimmed).filter(isLearnable);
  const forms = cores(trimmed).filter(isLearnable).flatMap(spellings).flatMap(pieces);
  return forms.filter((form) => form.length >= 6 && !form.includes('[redacted:'));
}
