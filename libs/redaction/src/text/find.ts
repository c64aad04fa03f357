import { markEnd, MARK_STARTS } from '../marks.js';
import { boundaryBefore, isWord, plainSign } from './chars.js';
import type { Finding, RuleSet, TextRule, TextScan } from './rule.js';

const ANYWHERE = 1;
const TOKEN_START = 2;
const MARK = 4;

/** Which rules to try at which character. */
interface Dispatch {
  readonly flags: Uint8Array;
  readonly anywhere: readonly (readonly TextRule[])[];
  readonly tokenStart: readonly (readonly TextRule[])[];
}

const dispatches = new WeakMap<RuleSet, Dispatch>();

function compile(rules: RuleSet): Dispatch {
  const flags = new Uint8Array(128);
  const anywhere: TextRule[][] = Array.from(flags, () => []);
  const tokenStart: TextRule[][] = Array.from(flags, () => []);
  for (const rule of rules.text) {
    for (const trigger of rule.triggers) {
      const code = trigger.charCodeAt(0);
      flags[code] = (flags[code] ?? 0) | (rule.atTokenStart ? TOKEN_START : ANYWHERE);
      (rule.atTokenStart ? tokenStart : anywhere)[code]?.push(rule);
    }
  }
  for (const start of MARK_STARTS) {
    const code = start.charCodeAt(0);
    if (code < 128) flags[code] = (flags[code] ?? 0) | MARK;
  }
  return { flags, anywhere, tokenStart };
}

function dispatchOf(rules: RuleSet): Dispatch {
  let dispatch = dispatches.get(rules);
  if (dispatch === undefined) dispatches.set(rules, (dispatch = compile(rules)));
  return dispatch;
}

function tryRules(rules: readonly TextRule[] | undefined, scan: TextScan, at: number): number {
  for (const rule of rules ?? []) {
    const next = rule.match(scan, at);
    if (next > at) return next;
  }
  return at;
}

/** What one text holds, by pattern. */
export interface Found {
  readonly findings: readonly Finding[];
  readonly openKey: boolean;
  readonly awsKeyId: boolean;
}

const NOTHING: Found = { findings: [], openKey: false, awsKeyId: false };

/**
 * Finds what the rules take for secrets in a text: one walk over it, marks skipped. Findings may overlap, and are not sorted.
 */
export function findInText(text: string, rules: RuleSet): Found {
  const { flags, anywhere, tokenStart } = dispatchOf(rules);
  const scan: TextScan = { text, rules, found: [], openKey: false, awsKeyId: false, clientAt: -Infinity };
  let at = 0;
  while (at < text.length) {
    const code = plainSign(text.charCodeAt(at));
    const flag = code < 128 ? (flags[code] ?? 0) : code === 0x2026 ? MARK : 0;
    if (flag === 0) {
      at++;
      continue;
    }
    let next = at;
    if ((flag & MARK) !== 0) next = markEnd(text, at);
    if (next === at && (flag & ANYWHERE) !== 0) next = tryRules(anywhere[code], scan, at);
    if (next === at && (flag & TOKEN_START) !== 0 && (!isWord(text.charCodeAt(at - 1)) || boundaryBefore(text, at))) {
      next = tryRules(tokenStart[code], scan, at);
    }
    at = next === at ? at + 1 : next;
  }
  return scan.found.length === 0 && !scan.openKey && !scan.awsKeyId
    ? NOTHING
    : { findings: scan.found, openKey: scan.openKey, awsKeyId: scan.awsKeyId };
}
