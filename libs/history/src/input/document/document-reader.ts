import type { Place, SourceItem } from '../../import/source-item.js';
import type { WholeLine } from '../../lines/split-lines.js';
import { endsOf, lineRecord, markLength, OverlongRecord, placeOf, recordOf } from '../text-record.js';
import { HeldLines } from './held-lines.js';
import { StructureScanner } from './structure-scanner.js';

/** What a line did to a document: it goes on, it is complete, or the line is none of it. */
export type Fed = 'more' | 'complete' | 'broken';

const LF = Buffer.from('\n');
const OPEN_BRACE = 0x7b;

/**
 * Reads JSON texts that may stretch over lines: an object is one record, and so is each element of an array. A record is given as soon as
 * it is closed, and never taken back; only what is not closed yet is held. Linear: each line is looked at once.
 */
export class DocumentReader {
  private readonly scanner = new StructureScanner();
  private readonly held: HeldLines;
  /** The record that is open: where it begins among the held bytes, and in the input. */
  private record: { readonly at: number; readonly place: Place } | null = null;
  private overlong: OverlongRecord | null = null;
  private lines = 0;
  private given = 0;
  private beganWithBrace = false;

  /** @param limit bytes of a record that is still held */
  constructor(private readonly limit: number) {
    this.held = new HeldLines(limit);
  }

  /** Whether it was a line with one object and nothing else: no document, but a line of JSON. */
  get isOneLine(): boolean {
    return this.lines === 1 && this.given === 1 && this.beganWithBrace;
  }

  /** Gives the records that the line closes. A line that breaks the document gives none. */
  *feed(line: WholeLine): Generator<SourceItem, Fed> {
    if (this.record === null && this.held.isFull) return 'broken';
    const { bytes } = line;
    const marks = this.scanner.scan(bytes, markLength(bytes));
    if (marks === null) return 'broken';
    if (this.lines++ === 0) this.beganWithBrace = endsOf(bytes).first === OPEN_BRACE;
    let index = 0;
    if (this.record !== null && marks.length > 0) yield this.close(line, this.record, marks.at(index++));
    for (; index + 1 < marks.length; index += 2) {
      const start = marks.at(index);
      this.give();
      yield recordOf(bytes.subarray(start, marks.at(index + 1)), placeOf(line.number, line.byteOffset + start));
    }
    if (this.scanner.isComplete) return 'complete';
    this.hold(line, index < marks.length ? marks.at(index) : null);
    return 'more';
  }

  /** What is held of a document that was not completed: its lines, each on its own, or what was too long to be held. */
  *leftovers(): Generator<SourceItem> {
    if (this.overlong !== null) yield this.overlong.close();
    else for (const line of this.held.lines()) yield lineRecord(line);
  }

  /** @param opened column at which a record begins that stays open */
  private hold(line: WholeLine, opened: number | null): void {
    if (this.overlong !== null) {
      this.overlong.add(LF);
      this.overlong.add(line.bytes);
      return;
    }
    if (opened !== null) this.open(line, opened);
    else if (this.record !== null || this.given === 0) this.held.add(line);
    if (this.record !== null && this.held.isFull) {
      this.overlong = new OverlongRecord(this.held.from(this.record.at), this.record.place);
      this.held.clear();
    }
  }

  /** Between records that were given there is nothing but punctuation; before the first one the line may still stand for itself. */
  private open(line: WholeLine, column: number): void {
    const from = this.given > 0 ? column : 0;
    this.held.add(line, from);
    const at = this.held.size - (line.bytes.length - column);
    this.record = { at, place: placeOf(line.number, line.byteOffset + column) };
  }

  private close(line: WholeLine, { at, place }: { readonly at: number; readonly place: Place }, end: number): SourceItem {
    const last = line.bytes.subarray(0, end);
    const { overlong } = this;
    overlong?.add(LF);
    overlong?.add(last);
    const item = overlong?.close() ?? this.whole(Buffer.concat([this.held.from(at), LF, last]), place);
    this.give();
    return item;
  }

  private whole(bytes: Buffer, place: Place): SourceItem {
    return bytes.length > this.limit ? new OverlongRecord(bytes, place).close() : recordOf(bytes, place);
  }

  private give(): void {
    this.given++;
    this.record = null;
    this.overlong = null;
    this.held.clear();
  }
}
