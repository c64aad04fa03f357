import type { SourceItem } from '../import/source-item.js';
import { splitLines } from '../lines/split-lines.js';
import type { Line, WholeLine } from '../lines/split-lines.js';
import { DocumentReader } from './document/document-reader.js';
import { endsOf, HEAD_BYTES, lineRecord } from './text-record.js';

const OPEN_BRACKET = 0x5b;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/**
 * The records of a text: lines of JSON, or JSON documents over many lines, or both. A line that is no JSON by itself and begins like an
 * object or an array may begin a document; one that turns out to be none is its lines again.
 */
export class TextItems {
  /** Told by the first record. */
  container: 'lines' | 'document' = 'lines';
  /** True once the text was read to its end, and not merely up to a stop. */
  ended = false;
  private isKnown = false;
  private document: DocumentReader | null = null;
  /** The last line was an object by itself: then the next one that has an object's ends is not looked through. */
  private isLines = false;

  constructor(
    private readonly lineLimit: number,
    private readonly signal: AbortSignal | undefined,
  ) {}

  /** @throws what the source throws */
  async *read(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<SourceItem> {
    for await (const line of splitLines(chunks, { limit: this.lineLimit, headBytes: HEAD_BYTES })) {
      if (this.document === null && line.kind === 'whole' && !this.mayBegin(line)) yield this.byItself(line);
      else yield* this.structured(line);
    }
    this.ended = this.signal?.aborted !== true;
    if (this.document !== null) yield* this.document.leftovers();
  }

  private byItself(line: Line): SourceItem {
    const item = lineRecord(line);
    if (item.kind !== 'blank') this.isKnown = true;
    return item;
  }

  private mayBegin(line: WholeLine): boolean {
    const { first, last } = endsOf(line.bytes);
    if (first === OPEN_BRACKET || (first === OPEN_BRACE && (last !== CLOSE_BRACE || !this.isLines))) return true;
    if (first !== OPEN_BRACE && first !== 0) this.isLines = false;
    return false;
  }

  private *structured(line: Line): Generator<SourceItem> {
    const before = this.document;
    if (before !== null && line.kind === 'whole' && (yield* this.feed(before, line)) !== 'broken') return;
    this.document = null;
    if (before !== null) {
      this.isKnown = true;
      yield* before.leftovers();
    }
    // What broke a document may begin another one.
    if (line.kind === 'whole' && this.mayBegin(line) && (yield* this.feed(new DocumentReader(this.lineLimit), line)) !== 'broken') return;
    yield this.byItself(line);
  }

  private *feed(document: DocumentReader, line: WholeLine): ReturnType<DocumentReader['feed']> {
    const steps = document.feed(line);
    let next = steps.next();
    while (next.done !== true) {
      if (!this.isKnown) this.container = document.isOneLine ? 'lines' : 'document';
      this.isKnown = true;
      yield next.value;
      next = steps.next();
    }
    if (next.value !== 'broken') {
      this.document = next.value === 'more' ? document : null;
      this.isLines = next.value === 'complete' && document.isOneLine;
    }
    return next.value;
  }
}
