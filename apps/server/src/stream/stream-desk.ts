import { Inject, Injectable } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import type { AccessScope } from '@counterfoil/contracts';
import { LEDGER, type Ledger } from '@counterfoil/ledger';
import { validatedQuery } from '../http/validated-query.js';
import { watchKey } from '../runtime/key-watch.js';
import { LiveFeed, workspaceTopics } from '../runtime/live-feed.js';
import { LOGGER, type Logger } from '@counterfoil/runtime';
import { Shutdown } from '../runtime/shutdown.js';
import { DocumentReader } from './document-reader.js';
import { EventStreamResponse } from './event-stream-response.js';
import { LedgerStream, type StreamSubject } from './ledger-stream.js';
import { StreamLimit } from './stream-limit.js';
import { startOf, StreamQuery } from './stream-query.js';
import { STREAM_KINDS } from './touches.js';

/** A stream whose request was found good: it runs as soon as there is an answer to write to. */
export interface OpenedStream {
  /** Resolves when the stream has ended; never rejects. */
  run(raw: ServerResponse, headers: Readonly<Record<string, string>>): Promise<void>;
}

/** Where streams are opened: what can be refused is refused here, before the answer begins. */
@Injectable()
export class StreamDesk {
  constructor(
    @Inject(LEDGER) private readonly ledger: Ledger,
    @Inject(LiveFeed) private readonly feed: LiveFeed,
    @Inject(DocumentReader) private readonly reader: DocumentReader,
    @Inject(StreamLimit) private readonly limit: StreamLimit,
    @Inject(Shutdown) private readonly shutdown: Shutdown,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * @param lastEventId the header `Last-Event-ID`
   * @throws DomainError `invalid_request`, `invalid_position`, `position_of_another_ledger`, `too_many_streams`
   */
  async open(scope: AccessScope, query: unknown, lastEventId: string | undefined): Promise<OpenedStream> {
    const { types, session, from } = validatedQuery(StreamQuery, query);
    const after = await startOf(this.ledger, lastEventId, from);
    const subject: StreamSubject = { scope, kinds: types ?? new Set(STREAM_KINDS), session: session ?? null, after };
    const giveBack = this.limit.take(scope.keyId);
    return { run: (raw, headers) => this.run(subject, new EventStreamResponse(raw), headers).finally(giveBack) };
  }

  private async run(subject: StreamSubject, response: EventStreamResponse, headers: Readonly<Record<string, string>>): Promise<void> {
    const { scope } = subject;
    const key = watchKey(this.ledger.access, scope.keyId);
    const signal = AbortSignal.any([response.gone, key.revoked, this.shutdown.signal]);
    const watch = this.feed.watch(...workspaceTopics(scope.workspaceId));
    try {
      response.open(headers);
      const write = (text: string): Promise<void> => response.write(text, signal);
      const parts = { ledger: this.ledger, reader: this.reader, watch, write, clock: () => performance.now() };
      await new LedgerStream(subject, parts, signal).run();
    } catch (error) {
      // The client sees an end, and resumes where it was.
      if (!signal.aborted)
        this.logger.error('a stream ended with a fault', { correlationId: headers['counterfoil-correlation-id'], error });
    } finally {
      key.end();
      watch.end();
      response.end();
    }
  }
}
