import type { EventMetadata, StoredEvent } from '@counterfoil/contracts';
import { UpcastError } from '../errors.js';
import type { EventPlace } from '../upcasting/read-or-tell.js';
import type { RawEvent } from '../verify/raw-event.js';

export const COLUMNS = 'position, stream, revision, id, type, version, hash, data, metadata';

/** A row of `events` in the order of COLUMNS, read with integers as bigint. */
export type Row = readonly [
  position: bigint,
  stream: string,
  revision: bigint,
  id: string,
  type: string,
  version: unknown,
  hash: string,
  data: string,
  metadata: string,
];

export function placeOf([position, stream, revision, , type]: Row): EventPlace {
  return { position, stream, revision, type };
}

export function rawOf(row: Row): RawEvent {
  const [position, stream, revision, id, type, version, hash, data, metadata] = row;
  return { position, stream, revision, id, type, version, data, metadata, hash };
}

/**
 * A row as a stored event.
 *
 * @throws UpcastError when the texts in it are not what was written: it names the place, never the data
 */
export function storedOf(row: Row): StoredEvent {
  const [position, stream, revision, id, type, version, hash, data, metadata] = row;
  try {
    return {
      stream,
      revision,
      position,
      id,
      type,
      version: typeof version === 'bigint' ? Number(version) : version,
      data: JSON.parse(data) as unknown,
      metadata: metadataOf(metadata, hash),
    };
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error;
    const place = `stream ${JSON.stringify(stream)}, revision ${String(revision)}, type ${JSON.stringify(type).slice(0, 80)}`;
    throw new UpcastError(`${place}: what is stored is not an event of ours`);
  }
}

/** The hash has a column of its own, since it can't stand in the text that it is made over. */
function metadataOf(text: string, hash: string): EventMetadata {
  const metadata = JSON.parse(text) as Omit<EventMetadata, 'integrity'> & { readonly integrity: { readonly prev: string | null } };
  return { ...metadata, integrity: { prev: metadata.integrity.prev, hash } };
}

/** UTF-16 units of a row, near enough to its bytes to bound a page. */
export function weightOf(row: Row): number {
  return row[7].length + row[8].length + 256;
}
