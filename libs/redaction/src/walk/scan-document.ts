import type { AnomalyKind, JsonVisitor } from '@counterfoil/canonical';
import { JsonSyntaxError, scanJson, unescapeString } from '@counterfoil/canonical';
import type { SecretKind } from '../keys/secret-keys.js';
import { userPassword } from '../text/options.js';
import type { Finding } from '../text/rule.js';
import { staysUnderKey } from '../values/placeholders.js';
import { Frame } from './frame.js';
import type { Document, Leaf, SecretValue } from './model.js';
import {
  arrayPair,
  elementKind,
  isNameKey,
  isSchemaKeyword,
  isSecretText,
  isUserArgument,
  isValueKey,
  objectPair,
  variableLength,
} from './pairs.js';
import type { Search } from './search.js';
import { SHORTEST } from './search.js';

/** Levels of JSON in strings that are read as JSON; what is deeper is read as text. */
const MOST_LEVELS = 12;

/** Told of what is odd about the text of an input. */
export type OnAnomaly = (kind: AnomalyKind, start: number, end: number) => void;

/** One walk over one JSON text. */
class DocumentScan implements JsonVisitor {
  // Set only where someone wants to know: the scanner looks for anomalies then.
  anomaly?: OnAnomaly;
  private readonly leaves: Leaf[] = [];
  private readonly secretValues: SecretValue[] = [];
  private readonly frames: Frame[] = [];
  private top: Frame | null = null;

  constructor(
    private readonly text: string,
    private readonly level: number,
    private readonly search: Search,
  ) {}

  document(): Document {
    return { text: this.text, leaves: oncePerString(this.leaves), secretValues: outermost(this.secretValues) };
  }

  startObject(at: number): void {
    this.open(at, true);
  }

  startArray(at: number): void {
    this.open(at, false);
  }

  endObject(end: number): void {
    const frame = this.close(end);
    const pair = objectPair(frame, this.search.rules);
    if (pair !== null) this.secretValues.push(pair);
  }

  endArray(end: number): void {
    const frame = this.close(end);
    const pair = arrayPair(frame, this.search.rules);
    if (pair !== null) this.secretValues.push(pair);
    if (!frame.isVariables || frame.count < 2 || frame.variables === null) return;
    for (const { start, end: to, text, hasEscape, step, valueStart, kind } of frame.variables) {
      const spans = [{ start: valueStart, end: text.length, rule: `env.${kind}` }];
      this.leaves.push({ start, end: to, type: 'string', text, hasEscape, parent: frame, step, spans, inner: null });
    }
  }

  key(start: number, end: number, hasEscape: boolean): void {
    const { top } = this;
    if (top === null) return;
    const text = this.decode(start, end, hasEscape);
    top.key = text;
    top.keyStep = text;
    top.memberKind = this.search.rules.kindOf(text);
    if (top.schemaKind !== null && top.memberKind === null && !isSchemaKeyword(text)) top.memberKind = top.schemaKind;
    if (text.length < SHORTEST) return;
    const spans = this.search.inKey(text);
    if (spans.length === 0) return;
    const leaf: Leaf = { start, end, type: 'key', text, hasEscape, parent: top, step: null, spans, inner: null };
    this.leaves.push(leaf);
    top.keyStep = leaf;
  }

  string(start: number, end: number, hasEscape: boolean): void {
    const { top } = this;
    const text = this.decode(start, end, hasEscape);
    const kind = top === null ? null : top.isObject ? top.memberKind : elementKind(top, text, this.search.rules);
    const isSecret = kind !== null && isSecretText(kind, top?.isObject === true ? top.key : '', text);
    if (isSecret) this.secret(start, end, kind, 'string');
    else if (text.length >= SHORTEST) this.searchString(start, end, hasEscape, text);
    if (top === null) return;
    if (top.isObject) {
      if (isNameKey(top.key)) top.pairName = text;
      if (isValueKey(top.key)) top.pairValue = { start, end, type: 'string', text, step: top.keyStep };
    } else {
      this.element(top, start, end, hasEscape, text);
    }
    top.count++;
  }

  number(start: number, end: number): void {
    const { top } = this;
    const kind = top?.isObject === true ? top.memberKind : null;
    if (kind !== null && kind !== 'auth') {
      this.secret(start, end, kind, 'number');
    } else if (this.search.looksForKnown && end - start >= SHORTEST) {
      const text = this.text.slice(start, end);
      const spans = this.search.inNumber(text);
      if (spans.length > 0) this.found({ start, end, type: 'number', text, hasEscape: false, spans, inner: null });
    }
    this.ended(start, end, 'number');
  }

  literal(start: number, end: number): void {
    this.ended(start, end, null);
  }

  private decode(start: number, end: number, hasEscape: boolean): string {
    return hasEscape ? unescapeString(this.text, start, end) : this.text.slice(start + 1, end - 1);
  }

  private secret(start: number, end: number, kind: SecretKind, type: SecretValue['type']): void {
    this.secretValues.push({ start, end, kind, type, parent: this.top, step: this.top?.nextStep ?? '' });
  }

  private found(leaf: Omit<Leaf, 'parent' | 'step'>): void {
    this.leaves.push({ ...leaf, parent: this.top, step: this.top?.nextStep ?? '' });
  }

  private searchString(start: number, end: number, hasEscape: boolean, text: string): void {
    const inner = this.level < MOST_LEVELS ? innerDocument(text, this.level + 1, this.search) : null;
    if (inner !== null) {
      const isEmpty = inner.leaves.length === 0 && inner.secretValues.length === 0;
      if (!isEmpty) this.found({ start, end, type: 'string', text, hasEscape, spans: [], inner });
      return;
    }
    const spans = this.search.inText(text);
    if (spans.length > 0) this.found({ start, end, type: 'string', text, hasEscape, spans, inner: null });
  }

  private open(at: number, isObject: boolean): void {
    const { top } = this;
    const frame = new Frame(top, top?.nextStep ?? '', isObject, at);
    if (top?.isObject === true) {
      frame.isProperties = isObject && top.key === 'properties';
      const kind = top.memberKind === 'auth' ? null : top.memberKind;
      if (isObject && top.isProperties) frame.schemaKind = kind;
      else frame.kind = kind;
    }
    this.frames.push(frame);
    this.top = frame;
  }

  private close(end: number): Frame {
    const frame = this.frames.pop();
    if (frame === undefined) throw new Error('a container ended that had not begun');
    this.top = this.frames.at(-1) ?? null;
    if (frame.kind !== null && frame.count > 0) this.secret(frame.start, end, frame.kind, 'container');
    this.ended(frame.start, end, frame.count === 0 ? null : 'container');
    return frame;
  }

  /** A member that is no string has ended; `type` is null where it can't be a secret. */
  private ended(start: number, end: number, type: 'number' | 'container' | null): void {
    const { top } = this;
    if (top === null) return;
    if (!top.isObject) {
      top.previous = null;
      top.isVariables = false;
    } else if (type !== null && isValueKey(top.key)) {
      top.pairValue = { start, end, type, text: '', step: top.keyStep };
    }
    top.count++;
  }

  /** A string in an array. */
  private element(top: Frame, start: number, end: number, hasEscape: boolean, text: string): void {
    const step = top.count;
    const password = isUserArgument(top) ? userPassword(text) : null;
    if (password !== null) {
      const spans: Finding[] = [{ start: text.length - password.length, end: text.length, rule: 'option.user' }];
      this.found({ start, end, type: 'string', text, hasEscape, spans, inner: null });
    }
    if (top.isVariables) {
      const valueStart = variableLength(text);
      top.isVariables = valueStart > 0;
      const kind = valueStart === 0 ? null : this.search.rules.kindOf(text.slice(0, valueStart - 1));
      const isSecret = kind !== null && kind !== 'auth' && !staysUnderKey(text.slice(valueStart));
      if (isSecret) (top.variables ??= []).push({ start, end, text, hasEscape, step, valueStart, kind });
    }
    if (step === 0) top.first = text;
    if (step === 1) top.pairValue = { start, end, type: 'string', text, step };
    top.previous = text;
  }
}

/** In order of their start (lists of variables are found when they end), with all that was found in one string in one leaf. */
function oncePerString(leaves: Leaf[]): Leaf[] {
  const out: Leaf[] = [];
  for (const leaf of leaves.sort((a, b) => a.start - b.start)) {
    const last = out.at(-1);
    if (last?.start !== leaf.start) out.push(leaf);
    else if (last.inner === null) out[out.length - 1] = { ...last, spans: [...last.spans, ...leaf.spans] };
  }
  return out;
}

/** In order of their start, without those that lie within another. */
function outermost(values: SecretValue[]): SecretValue[] {
  const out: SecretValue[] = [];
  for (const value of values.sort((a, b) => a.start - b.start || b.end - a.end)) {
    if (value.start >= (out.at(-1)?.end ?? 0)) out.push(value);
  }
  return out;
}

const OPENERS = '{["';
const CLOSERS = '}]"';

/** The JSON (object, array or string) that a string's text is; null if it is none. */
function innerDocument(text: string, level: number, search: Search): Document | null {
  let start = 0;
  while (' \t\n\r'.includes(text.charAt(start)) && start < text.length) start++;
  const kind = OPENERS.indexOf(text.charAt(start));
  if (kind === -1 || start === text.length || !text.trimEnd().endsWith(CLOSERS.charAt(kind))) return null;
  return scanDocument(text, level, search);
}

/**
 * Walks over a JSON text, leniently, and finds secrets in it: by key, and in keys and strings as `search` does; in JSON that
 * stands in its strings too.
 *
 * @param level 0 for an input, 1 for the JSON in one of its strings …
 * @returns null if the text is not JSON
 */
export function scanDocument(text: string, level: number, search: Search, onAnomaly?: OnAnomaly): Document | null {
  const scan = new DocumentScan(text, level, search);
  if (onAnomaly !== undefined) scan.anomaly = onAnomaly;
  try {
    scanJson(text, scan, { lenient: true });
  } catch (error) {
    if (error instanceof JsonSyntaxError) return null;
    throw error;
  }
  return scan.document();
}
