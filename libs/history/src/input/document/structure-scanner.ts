import { ByteStack, NumberList } from './growing.js';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Nested deeper than this is no document of ours; a record is refused long before. */
const DEEPEST = 1_000_000;

/** Bare words, those that Python writes too: a reader of the record says what is wrong with them. */
const WORDS: ReadonlySet<string> = new Set(['true', 'false', 'null', 'NaN', 'Infinity', '-Infinity']);
const NUMBER_BEGINS = /^-?[0-9]/;

/** What may come next. */
type Expected = 'document' | 'value' | 'value_or_end' | 'key' | 'key_or_end' | 'colon' | 'comma_or_end';

/**
 * Follows the structure of JSON texts that stand behind each other, line by line, and tells where the units of an input begin and end: an
 * object, and each element of an array. Strict about structure, so that what is no document shows at its first wrong token; lenient about
 * what stands in strings and numbers, which the reader of the record judges. Linear; nesting is kept off the call stack.
 */
export class StructureScanner {
  private expected: Expected = 'document';
  // One entry for each open container: the character that closes it.
  private readonly open = new ByteStack();
  private marks = new NumberList();
  private at = 0;

  /** Whether every document that was begun is closed. */
  get isComplete(): boolean {
    return this.open.length === 0;
  }

  /**
   * Reads one more line, without its end.
   *
   * @returns columns in this line at which units begin and end, by turns: a unit that is open from before ends first. Null where the
   *   line doesn't continue the text: the scanner is of no more use then
   */
  scan(line: Buffer, from: number): NumberList | null {
    this.marks = new NumberList();
    for (this.at = from; this.at < line.length;) {
      const byte = line[this.at] ?? 0;
      if (byte === 0x20 || byte === 0x09 || byte === 0x0d) this.at++;
      else if (!this.token(line, byte)) return null;
    }
    return this.marks;
  }

  private token(line: Buffer, byte: number): boolean {
    switch (this.expected) {
      case 'document':
        return (byte === OPEN_BRACE || byte === OPEN_BRACKET) && this.enter(byte);
      case 'value':
        return this.value(line, byte);
      case 'value_or_end':
        return byte === CLOSE_BRACKET ? this.leave() : this.value(line, byte);
      case 'key_or_end':
        return byte === CLOSE_BRACE ? this.leave() : this.key(line, byte);
      case 'key':
        return this.key(line, byte);
      case 'colon':
        if (byte !== COLON) return false;
        this.at++;
        this.expected = 'value';
        return true;
      case 'comma_or_end':
        return this.commaOrEnd(byte);
    }
  }

  private value(line: Buffer, byte: number): boolean {
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) return this.enter(byte);
    if (this.isElement) this.marks.add(this.at);
    if (!(byte === QUOTE ? this.string(line) : this.word(line))) return false;
    this.closeValue();
    return true;
  }

  private enter(byte: number): boolean {
    if (this.isElement || (byte === OPEN_BRACE && this.open.length === 0)) this.marks.add(this.at);
    this.at++;
    this.open.push(byte === OPEN_BRACE ? CLOSE_BRACE : CLOSE_BRACKET);
    this.expected = byte === OPEN_BRACE ? 'key_or_end' : 'value_or_end';
    return this.open.length <= DEEPEST;
  }

  private leave(): boolean {
    this.at++;
    const closed = this.open.pop();
    // An array that stands by itself is no unit, its elements were.
    if (this.open.length > 0 || closed === CLOSE_BRACE) this.closeValue();
    else this.expected = 'document';
    return true;
  }

  private closeValue(): void {
    if (this.isElement || this.open.length === 0) this.marks.add(this.at);
    this.expected = this.open.length === 0 ? 'document' : 'comma_or_end';
  }

  private commaOrEnd(byte: number): boolean {
    const close = this.open.top;
    if (byte === close) return this.leave();
    if (byte !== COMMA) return false;
    this.at++;
    this.expected = close === CLOSE_BRACE ? 'key' : 'value';
    return true;
  }

  private key(line: Buffer, byte: number): boolean {
    if (byte !== QUOTE || !this.string(line)) return false;
    this.expected = 'colon';
    return true;
  }

  /** To behind the closing quote; false where the line ends first. */
  private string(line: Buffer): boolean {
    const start = this.at + 1;
    for (let quote = line.indexOf(QUOTE, start); quote !== -1; quote = line.indexOf(QUOTE, quote + 1)) {
      if (isEscaped(line, quote, start)) continue;
      this.at = quote + 1;
      return true;
    }
    return false;
  }

  private word(line: Buffer): boolean {
    const start = this.at;
    while (this.at < line.length && isOfWord(line[this.at] ?? 0)) this.at++;
    const text = line.toString('latin1', start, this.at);
    return WORDS.has(text) || NUMBER_BEGINS.test(text);
  }

  /** Whether a value that stands here is an element of an array that stands by itself. */
  private get isElement(): boolean {
    return this.open.length === 1 && this.open.top === CLOSE_BRACKET;
  }
}

function isOfWord(byte: number): boolean {
  const letter = byte | 0x20;
  return (byte >= 0x30 && byte <= 0x39) || (letter >= 0x61 && letter <= 0x7a) || byte === 0x2b || byte === 0x2d || byte === 0x2e;
}

/** Whether an odd number of backslashes stands before a place: each run of them is counted once. */
function isEscaped(line: Buffer, at: number, start: number): boolean {
  let from = at;
  while (from > start && line[from - 1] === BACKSLASH) from--;
  return (at - from) % 2 === 1;
}
