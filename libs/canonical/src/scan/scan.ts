import { OpenObjects } from './duplicate-keys.js';
import { numberAnomaly } from './number.js';
import { StringScanner } from './string-scanner.js';
import { unescapeString } from './unescape.js';
import type { AnomalyKind, JsonVisitor, ScanOptions } from './visitor.js';
import { JsonSyntaxError } from './visitor.js';

const QUOTE = 0x22;
const COMMA = 0x2c;
const MINUS = 0x2d;
const DOT = 0x2e;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
// A literal this short without an exponent has at most 15 digits, and its double stands for it.
const SHORT_NUMBER = 15;

const LITERALS = ['true', 'false', 'null'] as const;
const LENIENT_LITERALS: readonly (readonly [string, AnomalyKind])[] = [
  ['NaN', 'not_a_number'],
  ['Infinity', 'infinity'],
  ['-Infinity', 'infinity'],
];

/** One walk over one text. The nesting is kept in an array, never on the call stack. */
class Scanner {
  private pos = 0;
  // One entry for each open container: the character that closes it.
  private readonly open: number[] = [];
  private readonly objects: OpenObjects | undefined;
  private readonly strings: StringScanner;
  private readonly lenient: boolean;
  private readonly maxDepth: number;

  constructor(
    private readonly text: string,
    private readonly visitor: JsonVisitor,
    options: ScanOptions,
  ) {
    this.lenient = options.lenient === true;
    this.maxDepth = options.maxDepth ?? Infinity;
    this.objects = visitor.anomaly === undefined ? undefined : new OpenObjects();
    this.strings = new StringScanner(text, visitor, this.lenient);
  }

  run(): void {
    this.skipSpace();
    do this.descend();
    while (this.ascend());
    if (this.pos < this.text.length) throw this.error('text after the value');
  }

  /** Reads one value as far as its first scalar or its first empty container. */
  private descend(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.pos);
      if (code === OPEN_BRACE) {
        this.enter(CLOSE_BRACE);
        if (this.closeIf(CLOSE_BRACE)) return;
        this.memberKey();
      } else if (code === OPEN_BRACKET) {
        this.enter(CLOSE_BRACKET);
        if (this.closeIf(CLOSE_BRACKET)) return;
      } else {
        this.scalar(code);
        return;
      }
    }
  }

  /** Closes what ends here. True if another value follows. */
  private ascend(): boolean {
    for (;;) {
      this.skipSpace();
      const close = this.open.at(-1);
      if (close === undefined) return false;
      if (this.text.charCodeAt(this.pos) === COMMA) {
        this.pos++;
        this.skipSpace();
        if (close === CLOSE_BRACE) this.memberKey();
        return true;
      }
      if (!this.closeIf(close)) throw this.error(close === CLOSE_BRACE ? 'expected a comma or }' : 'expected a comma or ]');
    }
  }

  private enter(close: number): void {
    const at = this.pos++;
    this.open.push(close);
    if (this.open.length === this.maxDepth + 1) this.visitor.anomaly?.('too_deep', at, at + 1);
    if (close === CLOSE_BRACE) {
      this.objects?.enter();
      this.visitor.startObject(at);
    } else {
      this.visitor.startArray(at);
    }
    this.skipSpace();
  }

  private closeIf(close: number): boolean {
    if (this.text.charCodeAt(this.pos) !== close) return false;
    this.pos++;
    this.open.pop();
    if (close === CLOSE_BRACE) {
      this.objects?.leave();
      this.visitor.endObject(this.pos);
    } else {
      this.visitor.endArray(this.pos);
    }
    return true;
  }

  private memberKey(): void {
    const start = this.pos;
    if (this.text.charCodeAt(start) !== QUOTE) throw this.error('expected a key');
    this.pos = this.strings.scan(start);
    const hasEscape = this.strings.hasEscape;
    if (this.objects !== undefined) {
      const key = hasEscape ? unescapeString(this.text, start, this.pos) : this.text.slice(start + 1, this.pos - 1);
      if (this.objects.seen(key)) this.visitor.anomaly?.('duplicate_key', start, this.pos);
    }
    this.visitor.key(start, this.pos, hasEscape);
    this.skipSpace();
    if (this.text.charCodeAt(this.pos) !== COLON) throw this.error('expected a colon');
    this.pos++;
    this.skipSpace();
  }

  private scalar(code: number): void {
    const start = this.pos;
    if (code === QUOTE) {
      this.pos = this.strings.scan(start);
      this.visitor.string(start, this.pos, this.strings.hasEscape);
    } else if ((code >= 0x30 && code <= 0x39) || (code === MINUS && !this.startsLenientLiteral())) {
      this.number(start, code);
    } else {
      this.literal(start);
    }
  }

  private startsLenientLiteral(): boolean {
    return this.lenient && this.text.charCodeAt(this.pos + 1) === 0x49;
  }

  private number(start: number, first: number): void {
    if (first === MINUS) this.pos++;
    if (this.text.charCodeAt(this.pos) === 0x30) this.pos++;
    else this.digits();
    if (this.text.charCodeAt(this.pos) === DOT) {
      this.pos++;
      this.digits();
    }
    const hasExponent = (this.text.charCodeAt(this.pos) | 0x20) === 0x65;
    if (hasExponent) {
      this.pos++;
      const sign = this.text.charCodeAt(this.pos);
      if (sign === 0x2b || sign === MINUS) this.pos++;
      this.digits();
    }
    if (this.visitor.anomaly !== undefined && (hasExponent || this.pos - start > SHORT_NUMBER)) {
      const kind = numberAnomaly(this.text, start, this.pos);
      if (kind !== null) this.visitor.anomaly(kind, start, this.pos);
    }
    this.visitor.number(start, this.pos);
  }

  private digits(): void {
    const start = this.pos;
    for (;;) {
      const code = this.text.charCodeAt(this.pos);
      if (!(code >= 0x30 && code <= 0x39)) break;
      this.pos++;
    }
    if (this.pos === start) throw this.error('expected a digit');
  }

  private literal(start: number): void {
    for (const word of LITERALS) {
      if (this.text.startsWith(word, start)) return this.endLiteral(start, word);
    }
    for (const [word, kind] of this.lenient ? LENIENT_LITERALS : []) {
      if (!this.text.startsWith(word, start)) continue;
      this.visitor.anomaly?.(kind, start, start + word.length);
      return this.endLiteral(start, word);
    }
    throw this.error(start >= this.text.length ? 'the text ends where a value should be' : 'expected a value');
  }

  private endLiteral(start: number, word: string): void {
    this.pos = start + word.length;
    this.visitor.literal(start, this.pos);
  }

  private skipSpace(): void {
    for (;;) {
      const code = this.text.charCodeAt(this.pos);
      if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return;
      this.pos++;
    }
  }

  private error(reason: string): JsonSyntaxError {
    return new JsonSyntaxError(this.pos, reason);
  }
}

/**
 * Walks over a JSON text (RFC 8259, strict) and tells the visitor each token, and each anomaly if it wants to know.
 * Linear in time, whatever the text; nesting of any depth is fine.
 *
 * @param text UTF-16 text, without a byte-order mark
 * @throws JsonSyntaxError at the first place that is not JSON; tokens before it have been told
 */
export function scanJson(text: string, visitor: JsonVisitor, options: ScanOptions = {}): void {
  new Scanner(text, visitor, options).run();
}
