import { openInput } from '../input/open-input.js';
import type { ImportSource } from '../input/byte-source.js';
import type { InputOptions } from '../input/opened-input.js';
import type { SourceItem } from '../import/source-item.js';

/** All that an input holds, and what was said of it. */
export interface ReadInput {
  readonly items: readonly SourceItem[];
  readonly container: string;
  readonly compressed: boolean;
  readonly bytes: number;
  readonly totalBytes: number | null;
  readonly ended: boolean;
  readonly otherTables: Readonly<Record<string, number | null>>;
  /** What reading ended with, beside the items before. */
  readonly error: unknown;
}

export async function readInput(source: ImportSource, options: InputOptions = {}): Promise<ReadInput> {
  const input = await openInput(source, options);
  const items: SourceItem[] = [];
  let error: unknown = null;
  try {
    for await (const item of input.items()) items.push(item);
  } catch (failure) {
    error = failure;
  }
  const { container, compressed, bytes, totalBytes, ended, otherTables } = input;
  await input.close();
  return { items, container, compressed, bytes, totalBytes, ended, otherTables, error };
}

/** The texts of the records; overlong ones and blanks by their kind. */
export const textsOf = (items: readonly SourceItem[]): string[] =>
  items.map((item) => (item.kind === 'record' ? item.text : `<${item.kind}>`));

/** Table and row of each item. */
export const placesOf = (items: readonly SourceItem[]): string[] =>
  items.map((item) => (item.kind === 'blank' ? '' : `${item.place.table ?? ''} ${item.place.row ?? ''}`));

/** The record that an item holds; null for another item. */
export const parsed = (item: SourceItem | undefined): Record<string, unknown> =>
  JSON.parse(item?.kind === 'record' ? item.text : 'null') as Record<string, unknown>;
