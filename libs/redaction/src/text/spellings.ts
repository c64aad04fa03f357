import { unescapedOnce } from '../values/decode.js';
import { backslashesBefore } from './chars.js';

const MOST_LEVELS = 8;

/** The value as it stands in escaped text, and as it is meant: with its escapes decoded. */
export function quotedSecrets(content: string): string[] {
  const secrets = [content];
  let current = content;
  for (let level = 0; level < MOST_LEVELS; level++) {
    const decoded = unescapedOnce(current);
    if (decoded === null || decoded === current) break;
    current = decoded;
    secrets.push(current);
  }
  return secrets;
}

/** A bare value, also without what a sentence put behind it, and before a line end that is spelled out. */
export function bareSecrets(content: string): string[] {
  const secrets = quotedSecrets(content);
  const trimmed = /^(.*?)[)\]}>.,!?:]{1,8}$/s.exec(content)?.[1];
  if (trimmed !== undefined && trimmed !== '') secrets.push(trimmed);
  const lineEnd = content.search(/\\[nrt]/);
  if (lineEnd > 0) secrets.push(content.slice(0, lineEnd - backslashesBefore(content, lineEnd)));
  return secrets;
}

/** The strings in an array or object that is written in text, its keys left out. */
export function groupSecrets(content: string): string[] {
  const parts = content.replace(/\\{1,255}"/g, '"').split('"', 256);
  return parts.filter((part, at) => at % 2 === 1 && part !== '' && !/^\s{0,4}:/.test(parts[at + 1] ?? ''));
}

const ATTRIBUTES = /^(?:path|domain|expires|max-age|samesite|secure|httponly|priority|partitioned)$/i;

/** The values of a Cookie or Set-Cookie header that are no settings: with a digit, and 8 characters or more. */
export function cookieSecrets(content: string): string[] {
  const secrets: string[] = [];
  for (const part of content.split(/[;\n]/, 64)) {
    const equals = part.indexOf('=');
    const value = part.slice(equals + 1).trim();
    if (equals < 1 || ATTRIBUTES.test(part.slice(0, equals).trim())) continue;
    if (value.length >= 16 || (value.length >= 8 && /[0-9]/.test(value))) secrets.push(value);
  }
  return secrets;
}
