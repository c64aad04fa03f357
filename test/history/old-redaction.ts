import { firstCharacters } from './python.js';

const MARK = '<redacted>';
const flat = (text: string): string => text.replaceAll('\n', ' ');

function r1(text: string): string {
  const assigned = text.replaceAll(/((?:api[_-]?key|password|secret|token)\s*[:=])\s*\S+/gi, `$1${MARK}`);
  return assigned.replaceAll(/\bsk-[A-Za-z0-9_-]+/g, MARK);
}

function r2(text: string): string {
  const quoted = text.replaceAll(/("(?:api[_-]?key|password|secret|token|authorization)"\s*:\s*")[^"]*/gi, `$1${MARK}`);
  return r1(quoted.replaceAll(/(Bearer\s+)\S+/gi, `$1${MARK}`));
}

/** The generations of the old redaction: each passes something (README of the shared history, section 5). */
export const oldRedaction = {
  /** Receipts of generation 1. */
  R1: (text: string, limit: number): string => firstCharacters(flat(r1(text)), limit),
  /** Results since 1b: line breaks stay. */
  R2: (text: string, limit: number): string => firstCharacters(r2(text), limit),
  /** Arguments since 1b. */
  R2args: (text: string, limit: number): string => firstCharacters(flat(r2(text)), limit),
  /** Lines of a terminal. */
  R4: (text: string): string =>
    text
      .replaceAll(/((?:api[_-]?key|password|secret|token))\s*[:=]\s*[^\s,;]+/gi, `$1=${MARK}`)
      .replaceAll(/\bsk-[A-Za-z0-9_-]+/g, `sk-${MARK}`),
} as const;
