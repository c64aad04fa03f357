import { LedgerSealedError, StreamIntegrityError, WrongExpectedRevisionError } from '../errors.js';
import { checkLink, sameUpTo } from '../restoring.js';
import type { PreparedRestore, RestoreResult } from '../restoring.js';
import { lastRevision } from './append-settler.js';
import type { AppendSettler, WireAppend } from './append-settler.js';
import type { NewestEvent } from './newest-event.js';
import type { SealWatch } from './seal-watch.js';
import type { StreamHeads } from './stream-heads.js';
import type { StreamReader } from './stream-reader.js';
import { linkOf, proposedOf } from './wire-event.js';

export interface RestorerParts {
  readonly settler: AppendSettler;
  readonly streams: StreamReader;
  readonly heads: StreamHeads;
  readonly newest: NewestEvent;
  readonly seal: SealWatch;
  readonly onStored: (position: bigint) => void;
}

/** What a stream holds of the events to be restored. */
interface Standing {
  readonly count: number;
  /** Position of the last of them; null for none. */
  readonly position: bigint | null;
}

const NOTHING: Standing = { count: 0, position: null };
/** Another process restores the same stream: each time it was faster, more of it is there. */
const TRIES = 8;

/** Restores events of one stream; the caller sees to it that nothing else writes into the stream meanwhile, in this process. */
export class Restorer {
  constructor(private readonly parts: RestorerParts) {}

  /** @throws as `RestorableStore.restore` */
  async restore(restore: PreparedRestore): Promise<RestoreResult> {
    const isSealed = await this.parts.seal.isSealed(restore.stream);
    let standing = !isSealed && this.isNext(restore) ? NOTHING : await this.compare(restore);
    for (let attempt = 1; standing.count < restore.events.length; attempt++) {
      if (isSealed) throw new LedgerSealedError();
      try {
        return { added: await this.append(restore, standing.count) };
      } catch (error) {
        if (!(error instanceof WrongExpectedRevisionError) || attempt === TRIES) throw error;
        standing = await this.compare(restore);
      }
    }
    return { added: 0 };
  }

  /** Whether the events seem to come next: the server says so if they don't, and what is there is compared only then. */
  private isNext({ stream, first, prev }: PreparedRestore): boolean {
    return first === 0n || (prev !== null && this.parts.heads.hashAt(stream, first - 1n) === prev);
  }

  /**
   * What is there, from the leader.
   *
   * @throws StreamIntegrityError where it is other than what is to be restored, WrongExpectedRevisionError when something is missing before
   */
  private async compare(restore: PreparedRestore): Promise<Standing> {
    const { stream, first, events } = restore;
    const { streams } = this.parts;
    const found = [...(await streams.eventsFrom(stream, first === 0n ? 0n : first - 1n, events.length + (first === 0n ? 0 : 1)))];
    const links = found.map((event) => {
      const link = linkOf(event);
      if (link === null) throw new StreamIntegrityError(stream, `revision ${String(event.revision)} is not an event of ours`);
      return link.hash;
    });
    if (first > 0n) {
      const before = links.shift();
      if (before === undefined) throw new WrongExpectedRevisionError(stream, (await streams.head(stream))?.revision ?? null);
      checkLink(restore, before);
    }
    const count = sameUpTo(restore, links);
    return { count, position: count === 0 ? null : (found.at(-1)?.position ?? null) };
  }

  /** @returns how many events were added: none where the server knew them all */
  private async append(restore: PreparedRestore, known: number): Promise<number> {
    const { settler, newest, heads, onStored } = this.parts;
    const wire = wireOf(restore, known);
    const seenBefore = newest.seen;
    const { revision, position, resent } = await settler.settle(wire);
    if (revision !== lastRevision(wire)) {
      throw new StreamIntegrityError(restore.stream, `an append that ends at revision ${String(lastRevision(wire))} was stored elsewhere`);
    }
    // A repeated append is answered by its ids alone (stack.md, EventStoreDB row 1): then what is there is looked at.
    const isSurelyNew = !resent && position !== null && position > seenBefore;
    const at = isSurelyNew ? position : await this.whole(restore);
    const last = restore.events.at(-1);
    if (last !== undefined) heads.set(restore.stream, last);
    newest.observe(at);
    if (at <= seenBefore) return 0;
    onStored(at);
    return wire.events.length;
  }

  private async whole(restore: PreparedRestore): Promise<bigint> {
    const { count, position } = await this.compare(restore);
    if (count === restore.events.length && position !== null) return position;
    throw new StreamIntegrityError(restore.stream, 'events that the server has taken are not there');
  }
}

function wireOf({ stream, first, events }: PreparedRestore, known: number): WireAppend {
  const from = first + BigInt(known);
  return { stream, expected: from === 0n ? 'no_stream' : from - 1n, events: events.slice(known).map(proposedOf) };
}
