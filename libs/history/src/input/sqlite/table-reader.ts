import type Database from 'better-sqlite3';
import { NOWHERE } from '../../import/source-item.js';
import type { Place, SourceItem } from '../../import/source-item.js';
import { OverlongRecord } from '../text-record.js';
import { rowText, valueText } from './row-text.js';
import type { ColumnValue, TextEncoding } from './row-text.js';
import { quoted } from './tables.js';
import type { SourceTable } from './tables.js';

const ROWS_AT_ONCE = 256;
/** Of a column that is too long to be held so much is taken at a time, in bytes. */
const SLICE_BYTES = 1024 * 1024;
const LOWEST = -(2n ** 63n);

export interface RowSize {
  readonly id: bigint;
  readonly bytes: number;
}

/**
 * Reads a table by row id, a few rows at a time and each for itself: no statement stays open meanwhile, so that a program which writes
 * to the database is never held up, and memory is bounded by one row. Texts are read as bytes: SQLite does not see to it that they are
 * well-formed.
 */
export class TableReader {
  private readonly sizes: Database.Statement<[bigint], [bigint, bigint]>;
  private readonly row: Database.Statement<[bigint], ColumnValue[]>;

  constructor(
    private readonly db: Database.Database,
    private readonly table: SourceTable,
    private readonly encoding: TextEncoding,
    /** Bytes of a row that is still held. */
    private readonly limit: number,
  ) {
    const { sqlName, columns } = table;
    const size = columns.map((column) => `coalesce(octet_length(${quoted(column)}), 0)`).join(' + ');
    this.sizes = db
      .prepare<[bigint], [bigint, bigint]>(
        `SELECT ${this.id}, ${size === '' ? '0' : size} FROM ${sqlName} WHERE ${this.id} >= ? ORDER BY ${this.id} LIMIT ${ROWS_AT_ONCE}`,
      )
      .raw()
      .safeIntegers();
    this.row = this.select<ColumnValue[]>(columns.map(asBytes).join(', ')).raw();
  }

  /** The next rows after one; null from the beginning. Of a damaged table those before the damage, and then it fails. */
  next(after: bigint | null): readonly RowSize[] {
    const rows: RowSize[] = [];
    try {
      for (const [id, bytes] of this.sizes.iterate(after === null ? LOWEST : after + 1n)) rows.push({ id, bytes: Number(bytes) });
    } catch (error) {
      if (rows.length === 0) throw error;
    }
    return rows;
  }

  /** The item of a row; null if it has gone meanwhile. */
  read({ id, bytes }: RowSize): SourceItem | null {
    const place: Place = { ...NOWHERE, table: this.table.name, row: id.toString() };
    if (bytes > this.limit) return this.readOverlong(id, place);
    const values = this.row.get(id);
    if (values === undefined) return null;
    const { text, invalid } = rowText(this.table.members, values, this.encoding);
    return { kind: 'record', text, invalidUtf8: invalid, bytes: text.length, place };
  }

  /** The text of the same object, one column at a time and a slice of it at a time. */
  private readOverlong(id: bigint, place: Place): SourceItem | null {
    const record = new OverlongRecord(Buffer.from('{'), place);
    for (const [index, column] of this.table.columns.entries()) {
      const value = this.select<ColumnValue>(asBytes(column)).pluck().get(id);
      if (value === undefined) return null;
      record.add(Buffer.from(`${index === 0 ? '' : ','}${JSON.stringify(this.table.members[index])}:`));
      for (const slice of this.slices(value)) record.add(slice);
    }
    record.add(Buffer.from('}'));
    return record.close();
  }

  private *slices(value: ColumnValue): Generator<Buffer> {
    if (value === null || typeof value !== 'object' || value.length <= SLICE_BYTES) {
      yield Buffer.from(valueText(value, this.encoding).text);
      return;
    }
    yield Buffer.from('"');
    for (let from = 0; from < value.length;) {
      const to = this.encoding === 'utf-8' ? endOfSlice(value, from) : from + SLICE_BYTES;
      yield Buffer.from(valueText(value.subarray(from, to), this.encoding).text.slice(1, -1));
      from = to;
    }
    yield Buffer.from('"');
  }

  private select<T>(columns: string): Database.Statement<[bigint], T> {
    return this.db.prepare<[bigint], T>(`SELECT ${columns} FROM ${this.table.sqlName} WHERE ${this.id} = ?`).safeIntegers();
  }

  private get id(): string {
    return this.table.rowId ?? 'rowid';
  }
}

function asBytes(column: string): string {
  const name = quoted(column);
  return `CASE typeof(${name}) WHEN 'text' THEN CAST(${name} AS BLOB) ELSE ${name} END`;
}

/** Not in the middle of a character of UTF-8. */
function endOfSlice(bytes: Buffer, from: number): number {
  let to = Math.min(from + SLICE_BYTES, bytes.length);
  for (let back = 0; back < 3 && to < bytes.length && ((bytes[to] ?? 0) & 0xc0) === 0x80; back++) to--;
  return to;
}
