import type { SourceItem } from '../import/source-item.js';

export interface InputOptions {
  /** Stops reading; what was read so far stays readable. */
  readonly signal?: AbortSignal | undefined;
  /** Bytes of a record that is still held; default 16 MiB. */
  readonly lineLimit?: number | undefined;
  /** Parent of the private folders in which databases are put that can't be read where they are; default the system's. */
  readonly temporaryFolder?: string | undefined;
  /** Most bytes of a database that comes as a stream or in gzip, unpacked; default 4 GiB. */
  readonly spoolLimit?: number | undefined;
}

/** `document`: JSON over many lines, or arrays. As its first record shows it: others may be of another kind. */
export type Container = 'lines' | 'document' | 'database';

/** Rows of tables that are not read, by name; null where they can't be counted. */
export type OtherTables = Readonly<Record<string, number | null>>;

/** An input whose kind is known, and its records. */
export interface OpenedInput {
  /** A text is `lines` until its first record was read. */
  readonly container: Container;
  /** Whether it came in gzip. */
  readonly compressed: boolean;
  /** As it came, so of the packed form; null for a stream of unknown length. */
  readonly totalBytes: number | null;
  /** How much of `totalBytes` was read; of a database by its share of rows. */
  readonly bytes: number;
  /** True once everything was read, and not merely up to a stop. */
  readonly ended: boolean;
  /** Empty for a text. */
  readonly otherTables: OtherTables;
  /** To be called once. @throws InputError where reading fails on the way; what came before has been handed on */
  items(): AsyncGenerator<SourceItem>;
  /** Lets go of everything, also of what is half read. */
  close(): Promise<void>;
}

/** Bytes of a record that is still held. */
export const LINE_LIMIT = 16 * 1024 * 1024;
