import { setImmediate } from 'node:timers/promises';
import { DomainError, type AccessScope, type RecordedEvent } from '@counterfoil/contracts';
import type { EventStore } from '@counterfoil/event-store';
import type { Ledger } from '@counterfoil/ledger';
import { LOOK_AGAIN_MS } from '../runtime/live-feed.js';
import type { Watch } from '../runtime/watch.js';
import type { DocumentReader, StreamDocument } from './document-reader.js';
import { documentFrame, heartbeatFrame, openingFrame } from './frames.js';
import { touchesOf, type StreamKind, type Touch } from './touches.js';

const HEARTBEAT_MS = 15_000;
/** So many events are read at a time; a page also ends at about a megabyte. */
const PAGE = 100;

/** Who listens, and to what. */
export interface StreamSubject {
  readonly scope: AccessScope;
  readonly kinds: ReadonlySet<StreamKind>;
  /** Only what belongs to this session. */
  readonly session: string | null;
  /** Everything after this position. */
  readonly after: bigint;
}

export interface StreamParts {
  readonly ledger: Pick<Ledger, 'token'> & { readonly store: Pick<EventStore, 'readAll'> };
  readonly reader: Pick<DocumentReader, 'read'>;
  readonly watch: Pick<Watch, 'next'>;
  /** Resolves when more may be sent. */
  readonly write: (text: string) => Promise<void>;
  /** Milliseconds of a clock that never steps back. */
  readonly clock: () => number;
}

/**
 * Tells one client of receipts, approvals and tasks as the ledger's events touch them. It holds one page of events and one document: the
 * next are read when the client has taken what was sent. A resume begins after the last position whose messages were all sent, so each
 * message comes at least once.
 */
export class LedgerStream {
  private position: bigint;
  private sentAt = 0;

  constructor(
    private readonly subject: StreamSubject,
    private readonly parts: StreamParts,
    private readonly signal: AbortSignal,
  ) {
    this.position = subject.after;
  }

  /** Runs until the signal aborts. @throws what the stores throw: the client resumes */
  async run(): Promise<void> {
    await this.send(openingFrame(this.token()));
    while (!this.isOver()) {
      await this.readOn();
      await this.heartbeat();
      await this.parts.watch.next(LOOK_AGAIN_MS, this.signal);
    }
  }

  /** Sends what there is up to the head. */
  private async readOn(): Promise<void> {
    for await (const batch of this.parts.ledger.store.readAll(this.position, { batchSize: PAGE })) {
      for (const events of byPosition(batch.events)) {
        if (this.isOver()) return;
        await this.tellOf(events);
        // Others have their turn between two events: a client that resumes from afar would else hold up everybody's commands.
        await setImmediate();
      }
      this.position = batch.position;
      await this.heartbeat();
      if (this.isOver()) return;
    }
  }

  /** The messages of one position: the last carries its id, so that a client that lost the others gets all of them again. */
  private async tellOf(events: readonly RecordedEvent[]): Promise<void> {
    const [first] = events;
    if (first === undefined || !this.concerns(first.stream)) return;
    const token = this.parts.ledger.token(first.position);
    let held: { readonly kind: StreamKind; readonly document: StreamDocument } | null = null;
    for (const touch of touchesOf(events, this.subject.kinds)) {
      const document = await this.read(touch, token, first.stream);
      if (this.isOver()) return;
      if (document === null) continue;
      if (held !== null) await this.send(documentFrame(held.kind, held.document, null));
      held = { kind: touch.kind, document };
    }
    if (held !== null) await this.send(documentFrame(held.kind, held.document, token));
    this.position = first.position;
  }

  /** Whether a stream can hold anything for this client: of its workspace, and of its session where that is known by the name. */
  private concerns(stream: string): boolean {
    const { scope, session } = this.subject;
    if (stream.startsWith(`history-${scope.workspaceId}/`)) return true;
    const live = `session-${scope.workspaceId}/`;
    return session === null ? stream.startsWith(live) : stream === `${live}${session}`;
  }

  /** Waits for the read models for as long as it takes. */
  private async read(touch: Touch, position: string, stream: string): Promise<StreamDocument | null> {
    while (!this.isOver()) {
      try {
        const document = await this.parts.reader.read(this.subject.scope, touch, position, stream);
        const { session } = this.subject;
        return document === null || session === null || document['sessionId'] === session ? document : null;
      } catch (error) {
        if (!(error instanceof DomainError) || error.code !== 'projection_lagging') throw error;
        await this.heartbeat();
      }
    }
    return null;
  }

  private async heartbeat(): Promise<void> {
    if (this.parts.clock() - this.sentAt >= HEARTBEAT_MS) await this.send(heartbeatFrame(this.token()));
  }

  private async send(text: string): Promise<void> {
    this.sentAt = this.parts.clock();
    await this.parts.write(text);
  }

  private token(): string {
    return this.parts.ledger.token(this.position);
  }

  /** Asked anew each time: it may end during any wait. */
  private isOver(): boolean {
    return this.signal.aborted;
  }
}

/** The parts of one stored event stand together. */
function* byPosition(events: readonly RecordedEvent[]): Generator<readonly RecordedEvent[]> {
  let group: RecordedEvent[] = [];
  for (const event of events) {
    if (group[0] !== undefined && group[0].position !== event.position) {
      yield group;
      group = [];
    }
    group.push(event);
  }
  if (group.length > 0) yield group;
}
