import { createHash } from 'node:crypto';
import type { Hash } from 'node:crypto';
import { decodeUtf8 } from '@counterfoil/canonical';
import { NOWHERE } from '../import/source-item.js';
import type { Place, SourceItem } from '../import/source-item.js';
import type { Line } from '../lines/split-lines.js';

/** Bytes that are kept of a record which is too long to be held. */
export const HEAD_BYTES = 64 * 1024;

const MARK = Buffer.from('\ufeff');

/** Length of a byte-order mark at the beginning: files that were joined have some in the middle. */
export const markLength = (bytes: Buffer): number => (bytes.subarray(0, MARK.length).equals(MARK) ? MARK.length : 0);

const isBlank = (byte: number): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0d;

/** The first and the last byte of a line that are no blanks, behind a byte-order mark; zero where there are none. */
export function endsOf(bytes: Buffer): { readonly first: number; readonly last: number } {
  let from = markLength(bytes);
  let to = bytes.length - 1;
  while (from <= to && isBlank(bytes[from] ?? 0)) from++;
  while (to > from && isBlank(bytes[to] ?? 0)) to--;
  return from > to ? { first: 0, last: 0 } : { first: bytes[from] ?? 0, last: bytes[to] ?? 0 };
}

export const placeOf = (line: number, byteOffset: number): Place => ({ ...NOWHERE, line, byteOffset });

/** The item of a record's bytes. */
export function recordOf(bytes: Buffer, place: Place): SourceItem {
  const { text, invalid } = decodeUtf8(bytes);
  return { kind: 'record', text, invalidUtf8: invalid.length > 0, bytes: bytes.length, place };
}

/** The item of a line that stands for itself. */
export function lineRecord(line: Line): SourceItem {
  const place = placeOf(line.number, line.byteOffset);
  if (line.kind === 'overlong') return { kind: 'overlong', length: line.length, sha256: line.sha256, head: line.head, place };
  const item = recordOf(line.bytes, place);
  return item.kind === 'record' && item.text.trim() === '' ? { kind: 'blank' } : item;
}

/** A record that is too long to be held: its digest, its length and its beginning. */
export class OverlongRecord {
  private readonly hash: Hash = createHash('sha256');
  private readonly beginning: Buffer[] = [];
  private length = 0;

  /** @param start its first bytes: all that there are so far */
  constructor(
    start: Buffer,
    private readonly place: Place,
  ) {
    this.add(start);
  }

  add(bytes: Buffer): void {
    const wanted = HEAD_BYTES - this.length;
    // A copy, so that the memory of the whole is let go.
    if (wanted > 0) this.beginning.push(Buffer.from(bytes.subarray(0, wanted)));
    this.hash.update(bytes);
    this.length += bytes.length;
  }

  close(): SourceItem {
    const head = Buffer.concat(this.beginning);
    return { kind: 'overlong', length: this.length, sha256: this.hash.digest('hex'), head, place: this.place };
  }
}
