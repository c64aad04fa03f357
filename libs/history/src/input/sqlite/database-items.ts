import { setImmediate as nextTurn } from 'node:timers/promises';
import type Database from 'better-sqlite3';
import type { SourceItem } from '../../import/source-item.js';
import { InputError } from '../input-error.js';
import { asInputError, whenFree } from './failures.js';
import { TableReader } from './table-reader.js';
import type { RowSize } from './table-reader.js';
import type { Catalogue, SourceTable } from './tables.js';

/** The records of a database: the rows of the tables that are known, each table by row id. */
export class DatabaseItems {
  /** Rows handed on so far. */
  done = 0;
  /** True once every table was read, to its end or to where it can't be read any further. */
  ended = false;
  readonly total: number;

  constructor(
    private readonly db: Database.Database,
    private readonly catalogue: Catalogue,
    private readonly rowLimit: number,
  ) {
    this.total = catalogue.tables.reduce((sum, { rows }) => sum + rows, 0);
  }

  /** @throws InputError `read_failed` after everything that can be read, where a table can't be read to its end */
  async *read(): AsyncGenerator<SourceItem> {
    let failure: InputError | null = null;
    for (const table of this.catalogue.tables) {
      try {
        yield* this.rows(table);
      } catch (error) {
        failure ??= asInputError(error, `The table ${table.name}`);
      }
    }
    this.ended = true;
    if (failure !== null) throw failure;
  }

  private async *rows(table: SourceTable): AsyncGenerator<SourceItem> {
    if (table.rowId === null) throw new InputError('read_failed', `The table ${table.name} has no row ids.`);
    const reader = new TableReader(this.db, table, this.catalogue.encoding, this.rowLimit);
    let last: bigint | null = null;
    for (;;) {
      const from: bigint | null = last;
      const rows: readonly RowSize[] = await whenFree(() => reader.next(from));
      for (const row of rows) {
        const item = await whenFree(() => reader.read(row));
        last = row.id;
        this.done++;
        if (item !== null) yield item;
      }
      if (rows.length === 0) return;
      // Reading waits for nothing: others in this process get their turn here.
      await nextTurn();
    }
  }
}
