import type { IncomingMessage } from 'node:http';
import { Inject } from '@nestjs/common';
import { QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { DomainError, type CallAnswer } from '@counterfoil/contracts';
import { LEDGER, sessionStream, type Ledger } from '@counterfoil/ledger';
import { z } from 'zod';
import { validate } from '../http/json-body.pipe.js';
import { LiveFeed, LOOK_AGAIN_MS } from '../runtime/live-feed.js';
import { Shutdown } from '../runtime/shutdown.js';
import { SessionDesk } from '../sessions/session-desk.js';
import type { CallTarget } from './commands.js';

export class GetToolCallQuery {
  constructor(
    readonly target: CallTarget,
    readonly query: unknown,
    /** Closed when the client goes away: nobody waits for nobody. */
    readonly client: IncomingMessage,
  ) {}
}

const MAX_WAIT_SECONDS = 60;

/** `wait=30s`: how long to wait for the next state. */
export const GetToolCallParams = z.strictObject({
  wait: z
    .string()
    .regex(/^[0-9]{1,3}s$/, 'must be a number of seconds such as 30s')
    .transform((text) => Math.min(Number.parseInt(text, 10), MAX_WAIT_SECONDS))
    .optional(),
});

/**
 * Reads a call from its session, not from a read model: what it answers is never stale. With `wait` it answers when there is something
 * for the caller to do (dispatch it, or stop), or when the time is over.
 */
@QueryHandler(GetToolCallQuery)
export class GetToolCallHandler implements IQueryHandler<GetToolCallQuery> {
  constructor(
    @Inject(SessionDesk) private readonly desk: SessionDesk,
    @Inject(Shutdown) private readonly shutdown: Shutdown,
    @Inject(LEDGER) private readonly ledger: Ledger,
    @Inject(LiveFeed) private readonly feed: LiveFeed,
  ) {}

  async execute({ target, query, client }: GetToolCallQuery): Promise<CallAnswer> {
    const { scope, sessionId, receiptId } = target;
    const until = Date.now() + (validate(GetToolCallParams, query).wait ?? 0) * 1000;
    const gone = new AbortController();
    const leave = (): void => {
      gone.abort();
    };
    client.socket.once('close', leave);
    const signal = AbortSignal.any([gone.signal, this.shutdown.signal]);
    const watch = this.feed.watch(sessionStream({ workspaceId: scope.workspaceId, sessionId }));
    try {
      for (;;) {
        // A key that was revoked meanwhile is told nothing more.
        if (!(await this.ledger.access.isStillLive(scope.keyId)))
          throw new DomainError('unauthenticated', 'The key was revoked or expired.');
        const answer = await this.desk.readCall(scope, sessionId, receiptId);
        const left = until - Date.now();
        if (answer.next !== 'wait' || left <= 0 || signal.aborted) return answer;
        await watch.next(Math.min(left, LOOK_AGAIN_MS), signal);
      }
    } finally {
      watch.end();
      client.socket.off('close', leave);
    }
  }
}
