/** Where in an input a record stands: in a text of lines by line and byte, in a database by table and row. */
export interface Place {
  /** 1-based. */
  readonly line: number | null;
  /** Of its first byte, in the text as it is after decompression. */
  readonly byteOffset: number | null;
  readonly table: string | null;
  /** The row's id in its table, in decimal. */
  readonly row: string | null;
}

export const NOWHERE: Place = { line: null, byteOffset: null, table: null, row: null };

/** What an input consists of, one at a time. */
export type SourceItem =
  | {
      readonly kind: 'record';
      readonly text: string;
      /** Whether its bytes were not all UTF-8. */
      readonly invalidUtf8: boolean;
      /** What it holds in memory, in bytes. */
      readonly bytes: number;
      readonly place: Place;
    }
  /** Longer than is held: its digest (unkeyed, never to be stored as it is) and its beginning. */
  | { readonly kind: 'overlong'; readonly length: number; readonly sha256: string; readonly head: Buffer; readonly place: Place }
  /** A line without a record. */
  | { readonly kind: 'blank' };
