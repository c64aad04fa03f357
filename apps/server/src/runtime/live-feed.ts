import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import type { EventBatch, EventStore } from '@counterfoil/event-store';
import { LEDGER } from '@counterfoil/ledger';
import { Background } from './background.js';
import { LOGGER, type Logger } from '@counterfoil/runtime';
import { Shutdown } from './shutdown.js';
import { watchForStall } from './stall-watch.js';
import { Watch } from './watch.js';

/** Who waits looks by itself after so long, whatever the subscription says (design §6). */
export const LOOK_AGAIN_MS = 1000;
const STALL_MS = 5000;
const PAUSE_MS = 500;

/** What a watch names to hear of every session stream, or every history stream, of a workspace. */
export const workspaceTopics = (workspaceId: string): readonly string[] => [`session-${workspaceId}/`, `history-${workspaceId}/`];

/** The topics that an event of a stream is told under: the stream itself, and all streams of its kind and workspace. */
function topicsOf(stream: string): readonly string[] {
  const slash = stream.indexOf('/');
  return slash < 0 ? [stream] : [stream, stream.slice(0, slash + 1)];
}

/**
 * The one live subscription of a server (design §6): wakes long-polls and streams when a session changes, whichever process wrote. It only
 * says that there is something new; who is woken reads for itself, so that a lost wake costs time and never a change.
 */
@Injectable()
export class LiveFeed implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly watches = new Map<string, Set<Watch>>();
  private background: Background | null = null;
  /** Everything up to here was told of; null before the head was read. */
  private position: bigint | null = null;

  constructor(
    @Inject(LEDGER) private readonly ledger: { readonly store: Pick<EventStore, 'head' | 'subscribeAll'> },
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(Shutdown) private readonly shutdown: Shutdown,
  ) {}

  onApplicationBootstrap(): void {
    this.background = new Background('live feed', this.logger, this.shutdown.signal, PAUSE_MS);
    this.background.start(() => this.follow());
  }

  async onModuleDestroy(): Promise<void> {
    this.shutdown.begin();
    await this.background?.stopped();
  }

  /** Hears of changes from now on; to be ended. A topic is the name of a stream, or one of `workspaceTopics`. */
  watch(...topics: readonly string[]): Watch {
    const watch = new Watch(() => {
      for (const topic of topics) this.leave(topic, watch);
    });
    for (const topic of topics) {
      const watching = this.watches.get(topic) ?? new Set();
      this.watches.set(topic, watching);
      watching.add(watch);
    }
    return watch;
  }

  private leave(topic: string, watch: Watch): void {
    const watching = this.watches.get(topic);
    watching?.delete(watch);
    if (watching?.size === 0) this.watches.delete(topic);
  }

  /** One subscription, from where the last one ended. */
  private async follow(): Promise<void> {
    const after = (this.position ??= await this.ledger.store.head());
    const stalled = new AbortController();
    const signal = AbortSignal.any([this.shutdown.signal, stalled.signal]);
    const followed = { head: () => this.ledger.store.head(), position: () => this.position };
    const stopWatching = watchForStall(followed, STALL_MS, () => stalled.abort());
    try {
      for await (const batch of this.ledger.store.subscribeAll({ after: after === 0n ? null : after, signal })) {
        this.position = batch.position;
        this.tell(batch);
      }
    } finally {
      stopWatching();
    }
  }

  private tell({ events, unreadable }: EventBatch): void {
    const streams = new Set([...events, ...unreadable].map(({ stream }) => stream));
    const topics = new Set([...streams].flatMap(topicsOf));
    for (const topic of topics) for (const watch of this.watches.get(topic) ?? []) watch.tell();
  }
}
