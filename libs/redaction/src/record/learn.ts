import type { JsonVisitor } from '@counterfoil/canonical';
import { JsonSyntaxError, scanJson, unescapeString } from '@counterfoil/canonical';
import type { SecretKind } from '../keys/secret-keys.js';
import type { Learned } from '../known/learned.js';
import { findInText } from '../text/find.js';
import type { RuleSet } from '../text/rule.js';
import { cookieSecrets } from '../text/spellings.js';
import { isPlainSetting } from '../values/placeholders.js';
import type { Document, Leaf, SecretValue } from '../walk/model.js';

const MOST_LEVELS = 12;

/** Learns what a value is made of that goes out whole. */
class ValueLearner implements JsonVisitor {
  private readonly open: boolean[] = [];
  private lastKey = '';

  constructor(
    private readonly text: string,
    private readonly kind: SecretKind,
    private readonly level: number,
    private readonly rules: RuleSet,
    private readonly learned: Learned,
  ) {}

  startObject(): void {
    this.open.push(true);
  }

  startArray(): void {
    this.open.push(false);
  }

  endObject(): void {
    this.open.pop();
  }

  endArray(): void {
    this.open.pop();
  }

  key(start: number, end: number): void {
    this.lastKey = unescapeString(this.text, start, end);
  }

  string(start: number, end: number): void {
    this.value(unescapeString(this.text, start, end));
  }

  number(start: number, end: number): void {
    this.value(this.text.slice(start, end));
  }

  literal(): void {
    // true, false and null are in every text.
  }

  private value(text: string): void {
    // Beside secrets stand settings: {"type": "service_account", "private_key": …}.
    const isSetting = this.open.at(-1) === true && this.rules.kindOf(this.lastKey) === null && isPlainSetting(text);
    if (isSetting) learnPatterns(text, this.rules, this.learned);
    else learnText(text, this.kind, this.level, this.rules, this.learned);
  }
}

/** Learns the JSON text of a value. Whether it is JSON. */
function learnJson(text: string, kind: SecretKind, level: number, rules: RuleSet, learned: Learned): boolean {
  try {
    scanJson(text, new ValueLearner(text, kind, level, rules, learned), { lenient: true });
    return true;
  } catch (error) {
    if (error instanceof JsonSyntaxError) return false;
    throw error;
  }
}

function learnText(text: string, kind: SecretKind, level: number, rules: RuleSet, learned: Learned): void {
  if (level < MOST_LEVELS && /^[ \t\r\n]{0,64}[[{"]/.test(text.slice(0, 65)) && learnJson(text, kind, level + 1, rules, learned)) return;
  if (kind === 'cookie') for (const secret of cookieSecrets(text)) learned.add(secret);
  else learned.add(text);
  learnPatterns(text, rules, learned);
}

function learnPatterns(text: string, rules: RuleSet, learned: Learned): void {
  for (const { start, end, secrets } of findInText(text, rules).findings) {
    for (const secret of secrets ?? [text.slice(start, end)]) learned.add(secret);
  }
}

function learnValue(document: Document, { start, end, kind, type }: SecretValue, rules: RuleSet, learned: Learned): void {
  if (type === 'container') learnJson(document.text.slice(start, end), kind, 0, rules, learned);
  else if (type === 'number') learned.add(document.text.slice(start, end));
  else learnText(unescapeString(document.text, start, end), kind, 0, rules, learned);
}

function learnLeaf(leaf: Leaf, rules: RuleSet, learned: Learned): void {
  if (leaf.inner !== null) learnDocument(leaf.inner, rules, learned);
  for (const { start, end, secrets } of leaf.spans) {
    for (const secret of secrets ?? [leaf.text.slice(start, end)]) learned.add(secret);
  }
}

/** Learns the secrets that were found in a document. */
export function learnDocument(document: Document, rules: RuleSet, learned: Learned): void {
  for (const leaf of document.leaves) learnLeaf(leaf, rules, learned);
  for (const value of document.secretValues) learnValue(document, value, rules, learned);
}
