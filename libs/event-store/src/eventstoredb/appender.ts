import type { RecordedEvent } from '@counterfoil/contracts';
import {
  InvalidEventError,
  LedgerSealedError,
  StoreUnavailableError,
  StreamIntegrityError,
  WrongExpectedRevisionError,
} from '../errors.js';
import type { AppendResult } from '../port.js';
import type { PreparedRestore, RestoreResult } from '../restoring.js';
import { sealsLedger } from '../seal.js';
import { sealAppend } from '../sealing.js';
import type { PreparedAppend, SealedPart } from '../sealing.js';
import type { UpcastingRegistry } from '../upcasting/registry.js';
import { recordParts } from '../upcasting/registry.js';
import { lastRevision } from './append-settler.js';
import type { AppendSettler, Settled, WireAppend } from './append-settler.js';
import { outcomeUnknown } from './failures.js';
import { Lanes } from './lanes.js';
import type { NewestEvent } from './newest-event.js';
import type { Restorer } from './restorer.js';
import type { SealWatch } from './seal-watch.js';
import type { StreamHeads } from './stream-heads.js';
import type { StreamReader } from './stream-reader.js';
import { LEDGER_STREAM, linkOf, proposedOf, storedOf } from './wire-event.js';
import type { WireEvent } from './wire-event.js';

export interface AppenderParts {
  readonly settler: AppendSettler;
  readonly streams: StreamReader;
  readonly heads: StreamHeads;
  readonly newest: NewestEvent;
  readonly seal: SealWatch;
  readonly restorer: Restorer;
  readonly registry: UpcastingRegistry;
  readonly queuedBytes: number;
  readonly onStored: (position: bigint) => void;
  /** Tells those that are still sent again to stop. */
  readonly onClosing: () => void;
}

/** What tells an append among those that are stored. */
interface AppendedIds extends Pick<WireAppend, 'stream' | 'expected'> {
  readonly events: readonly { readonly id: string }[];
}

/** Ids of this version are drawn at random by one process; those that are derived from content may be another's too. */
const DRAWN_ID = /^.{14}7/;

/** Appends to streams of ours, one after the other in each. */
export class Appender {
  private readonly lanes = new Lanes();
  private waitingBytes = 0;
  private closed = false;

  constructor(private readonly parts: AppenderParts) {}

  /** @throws as `EventStore.append`; StreamIntegrityError when the stream turns out not to be what an append-only one can be */
  append(append: PreparedAppend): Promise<AppendResult> {
    return this.inLane(append, () => this.inTurn(append));
  }

  /** @throws as `RestorableStore.restore` */
  restore(restore: PreparedRestore): Promise<RestoreResult> {
    return this.inLane(restore, () => this.parts.restorer.restore(restore));
  }

  /** Takes no more, and waits for what was taken before. */
  async close(): Promise<void> {
    this.closed = true;
    this.parts.onClosing();
    await this.lanes.idle();
  }

  /** Whether the events of an append stand in their stream, by their ids. */
  async isStored(append: WireAppend): Promise<boolean> {
    return isSame(await this.standing(append), append);
  }

  private async inLane<T>({ stream, bytes }: { readonly stream: string; readonly bytes: number }, work: () => Promise<T>): Promise<T> {
    if (this.closed) throw new StoreUnavailableError('the store is closed');
    if (stream === LEDGER_STREAM) throw new InvalidEventError('append', 'this stream holds what the ledger knows about itself');
    if (this.waitingBytes + bytes > this.parts.queuedBytes) throw new StoreUnavailableError('too many appends are waiting');
    this.waitingBytes += bytes;
    try {
      return await this.lanes.run(stream, work);
    } finally {
      this.waitingBytes -= bytes;
    }
  }

  private async inTurn(append: PreparedAppend): Promise<AppendResult> {
    const { settler, newest, seal } = this.parts;
    if (await seal.isSealed(append.stream)) return this.ofEnded(append);
    const sealed = [...sealAppend(append, await this.basis(append))];
    // Once more, which mostly costs nothing: it may have taken long to find out what to link to.
    if (await seal.isSealed(append.stream)) return this.ofEnded(append);
    const wire: WireAppend = { stream: append.stream, expected: append.expected, events: sealed.map((part) => proposedOf(part.sealed)) };
    const seenBefore = newest.seen;
    const answer = await settler.settle(wire);
    this.checkRevision(wire, answer);
    const result = this.isSurelyNew(wire, answer, seenBefore) ? this.fresh(sealed, answer) : await this.readBack(wire, seenBefore);
    newest.observe(result.position);
    if (sealsLedger(append.stream, append.events)) seal.seal();
    if (!result.repeated) this.parts.onStored(result.position);
    return result;
  }

  /** The answer of a ledger that has ended: what was stored before was stored. @throws LedgerSealedError for all else */
  private async ofEnded(append: AppendedIds): Promise<AppendResult> {
    if (!isSame(await this.standing(append), append)) throw new LedgerSealedError();
    return { ...(await this.readBack(append, this.parts.newest.seen)), repeated: true };
  }

  /**
   * The hash that the first event links to: that of the event at the expected revision, from the leader if it isn't known.
   *
   * @throws WrongExpectedRevisionError when the stream has no such event
   */
  private async basis({ stream, expected }: PreparedAppend): Promise<string | null> {
    if (expected === 'no_stream') return null;
    const { heads, streams } = this.parts;
    const known = heads.hashAt(stream, expected);
    if (known !== null) return known;
    const event = await streams.eventAt(stream, expected);
    if (event === null) throw new WrongExpectedRevisionError(stream, (await streams.head(stream))?.revision ?? null);
    return this.remember(event);
  }

  private remember(event: WireEvent): string {
    const link = linkOf(event);
    if (link === null) throw new StreamIntegrityError(event.stream, `revision ${String(event.revision)} is not an event of ours`);
    this.parts.heads.set(event.stream, link);
    return link.hash;
  }

  /** Where a stream was deleted, the server goes on with its old revisions; our hashes are over other ones (stack.md, EventStoreDB row 5). */
  private checkRevision(append: WireAppend, { revision }: Settled): void {
    const due = lastRevision(append);
    if (revision === due) return;
    throw new StreamIntegrityError(append.stream, `an append that ends at revision ${String(due)} was stored up to ${String(revision)}`);
  }

  /**
   * Whether this very call stored the one event, as it was sealed: then there is nothing to read. A repeated append is answered with its
   * old position or with none. Of several events only the last one's position is told (row 9), and ids that aren't drawn at random may
   * have been stored by another process with other bytes.
   */
  private isSurelyNew(append: WireAppend, { position, resent }: Settled, seenBefore: bigint): boolean {
    const [event] = append.events;
    if (resent || position === null || position <= seenBefore) return false;
    return append.events.length === 1 && event !== undefined && DRAWN_ID.test(event.id);
  }

  private fresh(sealed: readonly SealedPart[], { position }: Settled): AppendResult {
    const [only] = sealed;
    if (only === undefined || position === null) throw new StoreUnavailableError('an append with nothing to answer');
    const { stream, revision, hash } = only.sealed;
    this.parts.heads.set(stream, { revision, hash });
    return { revision, position, repeated: false, events: recordParts({ ...only.sealed, position }, only.parts) };
  }

  /**
   * What is stored, from the leader: its positions, and its bytes where an earlier append stored the same ids.
   *
   * @throws StreamIntegrityError when other events stand there
   */
  private async readBack(append: AppendedIds, seenBefore: bigint): Promise<AppendResult> {
    const stored = await this.standing(append).catch((error: unknown) => {
      // It is stored: an answer that says otherwise would be wrong.
      throw error instanceof StoreUnavailableError ? outcomeUnknown(error) : error;
    });
    const last = stored.at(-1);
    if (last === undefined || !isSame(stored, append)) {
      throw new StreamIntegrityError(
        append.stream,
        `what stands before revision ${String(lastRevision(append) + 1n)} is not what was appended`,
      );
    }
    this.remember(last);
    const events: RecordedEvent[] = stored.flatMap((event) => this.parts.registry.read(storedOf(event)));
    return { revision: last.revision, position: last.position, repeated: last.position <= seenBefore, events };
  }

  private standing({ stream, expected, events }: AppendedIds): Promise<readonly WireEvent[]> {
    return this.parts.streams.eventsFrom(stream, expected === 'no_stream' ? 0n : expected + 1n, events.length);
  }
}

function isSame(stored: readonly WireEvent[], { events }: AppendedIds): boolean {
  return stored.length === events.length && stored.every(({ id }, n) => id === events[n]?.id);
}
