import { isUtf8 } from 'node:buffer';

/** UTF-16 spans as [start, end, start, end, …], ascending, adjacent ones merged. Compact: hostile bodies hold millions. */
export type Spans = Uint32Array;

export interface DecodedText {
  /** The text, without a byte-order mark. */
  readonly text: string;
  /** Where the bytes were not UTF-8, as UTF-16 spans of `text`. */
  readonly invalid: readonly { readonly start: number; readonly end: number }[];
}

const decoder = new TextDecoder('utf-8');
const NO_SPANS = new Uint32Array(0);
const REPLACEMENT = 0xfffd;

class SpanList {
  private spans = new Uint32Array(16);
  private length = 0;

  add(start: number, end: number): void {
    if (this.length > 0 && this.spans[this.length - 1] === start) {
      this.spans[this.length - 1] = end;
      return;
    }
    if (this.length === this.spans.length) {
      const grown = new Uint32Array(this.spans.length * 2);
      grown.set(this.spans);
      this.spans = grown;
    }
    this.spans[this.length++] = start;
    this.spans[this.length++] = end;
  }

  done(): Spans {
    return this.spans.slice(0, this.length);
  }
}

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** The lowest and highest second byte, and the number of bytes, that may follow a lead byte (Unicode table 3-7). */
function sequenceOf(lead: number): { size: number; low: number; high: number } | undefined {
  if (lead >= 0xc2 && lead <= 0xdf) return { size: 2, low: 0x80, high: 0xbf };
  if (lead === 0xe0) return { size: 3, low: 0xa0, high: 0xbf };
  // Up to BF also after ED: those sequences spell surrogates, and are told apart by the caller.
  if (lead > 0xe0 && lead <= 0xef) return { size: 3, low: 0x80, high: 0xbf };
  if (lead === 0xf0) return { size: 4, low: 0x90, high: 0xbf };
  if (lead > 0xf0 && lead < 0xf4) return { size: 4, low: 0x80, high: 0xbf };
  if (lead === 0xf4) return { size: 4, low: 0x80, high: 0x8f };
  return undefined;
}

/** Decodes one sequence at `at`: its code point, or -1 if it is broken, and how many bytes it (or its broken part) takes. */
function decodeAt(bytes: Uint8Array, at: number): { point: number; size: number } {
  const lead = bytes[at] ?? 0;
  if (lead < 0x80) return { point: lead, size: 1 };
  const sequence = sequenceOf(lead);
  const second = bytes[at + 1];
  if (sequence === undefined || second === undefined || second < sequence.low || second > sequence.high) return { point: -1, size: 1 };
  let point = ((lead & (0x7f >> sequence.size)) << 6) | (second & 0x3f);
  for (let index = 2; index < sequence.size; index++) {
    const next = bytes[at + index];
    if (!isContinuation(next)) {
      // A broken sequence that began like a surrogate is one bad byte each, as decoders of the web count them.
      return { point: -1, size: lead === 0xed && second >= 0xa0 ? 1 : index };
    }
    point = (point << 6) | ((next ?? 0) & 0x3f);
  }
  return { point, size: sequence.size };
}

function decodeSlowly(bytes: Uint8Array): { text: string; spans: Spans } {
  const units = new Uint16Array(bytes.length);
  const spans = new SpanList();
  let length = 0;
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  while (at < bytes.length) {
    const { point, size } = decodeAt(bytes, at);
    at += size;
    if (point === -1 || (point >= 0xd800 && point <= 0xdfff)) {
      spans.add(length, length + 1);
      units[length++] = point === -1 ? REPLACEMENT : point;
    } else if (point > 0xffff) {
      units[length++] = 0xd800 + ((point - 0x10000) >> 10);
      units[length++] = 0xdc00 + ((point - 0x10000) & 0x3ff);
    } else {
      units[length++] = point;
    }
  }
  // The only decoder at hand that keeps lone surrogates; like the array it works in the byte order of the platforms of Node.
  return { text: Buffer.from(units.buffer, 0, length * 2).toString('utf16le'), spans: spans.done() };
}

/** As `decodeUtf8`, with the spans in compact form. */
export function decodeUtf8Compact(bytes: Uint8Array): { text: string; spans: Spans } {
  return isUtf8(bytes) ? { text: decoder.decode(bytes), spans: NO_SPANS } : decodeSlowly(bytes);
}

/**
 * Decodes UTF-8 and loses nothing that can be kept: sequences that spell a surrogate (ED A0..BF xx, "WTF-8") become that
 * surrogate, other broken bytes become U+FFFD, one for each maximal broken part. Both are listed. A byte-order mark at the
 * start is dropped.
 */
export function decodeUtf8(bytes: Uint8Array): DecodedText {
  const { text, spans } = decodeUtf8Compact(bytes);
  const invalid: { start: number; end: number }[] = [];
  for (let at = 0; at < spans.length; at += 2) invalid.push({ start: spans[at] ?? 0, end: spans[at + 1] ?? 0 });
  return { text, invalid };
}

/** Whether the text has no lone surrogate. (Node has had the method since version 20; the ES2023 library does not list it.) */
export function isWellFormed(text: string): boolean {
  return (text as unknown as { isWellFormed(): boolean }).isWellFormed();
}

/**
 * The UTF-8 of a text. A lone surrogate becomes the three bytes that its code point would have (ED A0..BF xx, "WTF-8"),
 * so that different texts always have different bytes, and `decodeUtf8` gives the text back.
 */
export function encodeUtf8(text: string): Buffer {
  if (isWellFormed(text)) return Buffer.from(text, 'utf8');
  // A unit takes three bytes at most.
  const bytes = Buffer.allocUnsafe(text.length * 3);
  let size = 0;
  let from = 0;
  const writeUpTo = (end: number): void => {
    if (end > from) size += bytes.write(text.slice(from, end), size, 'utf8');
  };
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if ((code & 0xf800) !== 0xd800) continue;
    if (code < 0xdc00 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) {
      at++;
      continue;
    }
    writeUpTo(at);
    bytes[size++] = 0xe0 | (code >> 12);
    bytes[size++] = 0x80 | ((code >> 6) & 0x3f);
    bytes[size++] = 0x80 | (code & 0x3f);
    from = at + 1;
  }
  writeUpTo(text.length);
  return bytes.subarray(0, size);
}
