import type { SourceItem } from '../import/source-item.js';
import { LINE_LIMIT } from './opened-input.js';
import type { InputOptions, OpenedInput, OtherTables } from './opened-input.js';
import { DatabaseItems } from './sqlite/database-items.js';
import { asInputError, whenFree } from './sqlite/failures.js';
import type { OpenedFile } from './sqlite/open-database.js';
import { readCatalogue } from './sqlite/tables.js';

interface Origin {
  readonly compressed: boolean;
  /** Of the input as it came. */
  readonly totalBytes: number;
}

/** The rows of an open database. Closes it where it is none that can be read. @throws InputError `unknown_database`, `read_failed` */
export async function databaseInput(opened: OpenedFile, origin: Origin, { lineLimit = LINE_LIMIT }: InputOptions): Promise<OpenedInput> {
  try {
    const catalogue = await whenFree(() => readCatalogue(opened.db));
    return new DatabaseInput(opened, new DatabaseItems(opened.db, catalogue, lineLimit), catalogue.otherTables, origin);
  } catch (error) {
    await opened.close();
    throw asInputError(error);
  }
}

class DatabaseInput implements OpenedInput {
  readonly container = 'database';
  readonly compressed: boolean;
  readonly totalBytes: number;

  constructor(
    private readonly opened: OpenedFile,
    private readonly rows: DatabaseItems,
    readonly otherTables: OtherTables,
    origin: Origin,
  ) {
    this.compressed = origin.compressed;
    this.totalBytes = origin.totalBytes;
  }

  get bytes(): number {
    if (this.ended) return this.totalBytes;
    // A program that writes to it may add rows meanwhile.
    return Math.floor(this.totalBytes * Math.min(1, this.rows.done / Math.max(1, this.rows.total)));
  }

  get ended(): boolean {
    return this.rows.ended;
  }

  items(): AsyncGenerator<SourceItem> {
    return this.rows.read();
  }

  async close(): Promise<void> {
    await this.opened.close();
  }
}

/** A database that a stop cut off while it was still coming in: nothing of it can be read. */
export function cutDatabase(compressed: boolean, bytes: number): OpenedInput {
  return {
    container: 'database',
    compressed,
    totalBytes: null,
    bytes,
    ended: false,
    otherTables: {},
    async *items() {
      // Nothing to give.
    },
    close: () => Promise.resolve(),
  };
}
