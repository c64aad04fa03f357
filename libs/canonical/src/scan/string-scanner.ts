import { plainRunEnd } from './plain-run.js';
import type { JsonVisitor } from './visitor.js';
import { JsonSyntaxError } from './visitor.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SIMPLE_ESCAPES = '"\\/bfnrt';

const isSurrogate = (code: number): boolean => (code & 0xf800) === 0xd800;
const isHigh = (code: number): boolean => (code & 0xfc00) === 0xd800;

/** The value of four hex digits at `at`, or -1. */
function hexUnit(text: string, at: number): number {
  let value = 0;
  for (let index = at; index < at + 4; index++) {
    const code = text.charCodeAt(index);
    if (code >= 0x30 && code <= 0x39) value = value * 16 + code - 0x30;
    else if ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x66) value = value * 16 + (code | 0x20) - 0x57;
    else return -1;
  }
  return value;
}

/** Walks over JSON strings and reports what is odd inside them. */
export class StringScanner {
  /** Whether the last string held a backslash. */
  hasEscape = false;
  // The last high surrogate that has not met its low one: it may be raw and the low one escaped, or the other way round.
  private highStart = -1;
  private highEnd = -1;

  constructor(
    private readonly text: string,
    private readonly visitor: JsonVisitor,
    private readonly lenient: boolean,
  ) {}

  /** From the opening quote at `start` to the offset after the closing one. */
  scan(start: number): number {
    const text = this.text;
    this.hasEscape = false;
    let at = start + 1;
    for (;;) {
      at = plainRunEnd(text, at);
      const code = text.charCodeAt(at);
      if (code === QUOTE) break;
      if (code === BACKSLASH) at = this.escape(at);
      else if (isSurrogate(code)) at = this.surrogate(code, at, at + 1);
      else at = this.control(at);
    }
    this.flush();
    return at + 1;
  }

  private escape(at: number): number {
    this.hasEscape = true;
    if (this.text.charCodeAt(at + 1) !== 0x75) {
      if (at + 1 >= this.text.length || !SIMPLE_ESCAPES.includes(this.text.charAt(at + 1))) {
        throw new JsonSyntaxError(at, 'an escape that JSON does not know');
      }
      return at + 2;
    }
    const unit = hexUnit(this.text, at + 2);
    if (unit === -1) throw new JsonSyntaxError(at, 'an escape without four hex digits');
    if (isSurrogate(unit)) return this.surrogate(unit, at, at + 6);
    if (unit === 0) this.visitor.anomaly?.('nul', at, at + 6);
    return at + 6;
  }

  private surrogate(unit: number, start: number, end: number): number {
    if (isHigh(unit)) {
      this.flush();
      this.highStart = start;
      this.highEnd = end;
    } else if (this.highEnd === start) {
      this.highEnd = -1;
    } else {
      this.flush();
      this.visitor.anomaly?.('lone_surrogate', start, end);
    }
    return end;
  }

  private flush(): void {
    if (this.highEnd === -1) return;
    const end = this.highEnd;
    this.highEnd = -1;
    this.visitor.anomaly?.('lone_surrogate', this.highStart, end);
  }

  private control(at: number): number {
    if (at >= this.text.length) throw new JsonSyntaxError(at, 'the text ends inside a string');
    if (!this.lenient) throw new JsonSyntaxError(at, 'a control character inside a string');
    this.visitor.anomaly?.('control_character', at, at + 1);
    if (this.text.charCodeAt(at) === 0) this.visitor.anomaly?.('nul', at, at + 1);
    return at + 1;
  }
}
