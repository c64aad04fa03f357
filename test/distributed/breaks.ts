import { setTimeout as sleep } from 'node:timers/promises';
import type { Cluster } from './cluster.js';
import type { DropKind } from './event-store.child.js';
import { PROJECTORS, SERVERS, type ProjectorName } from './members.js';

const EVERY_MS = 1000;
/** How long a connection that is to break with a command under way waits for one. */
const WITHIN_MS = 800;
const DROPS: readonly DropKind[] = ['drop_before', 'drop_after', 'drop_late'];
const FATES = ['lose', 'lose_answer'] as const;

/** Breaks one connection each second, each time another process's, to the one store and the other. */
export class Breaks {
  /** By store and kind of process. */
  readonly counts = new Map<string, number>();
  /** A projector whose connections to MongoDB are left alone, since something is held in them. */
  spared: ProjectorName | null = null;
  private turn = 0;

  constructor(private readonly cluster: Cluster) {}

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const next = sleep(EVERY_MS, undefined, { signal }).catch(() => undefined);
      await this.one();
      await next;
    }
  }

  private async one(): Promise<void> {
    const { eventStore, mongo } = this.cluster;
    const turn = this.turn++;
    const round = Math.floor(turn / 4);
    const [server, projector] = [SERVERS[round % 2] ?? 'server-1', PROJECTORS[round % 2] ?? 'projector-1'];
    // Each server's commands go wrong in each way by turns.
    const way = Math.floor(round / 2);
    if (turn % 4 === 0) {
      await eventStore.dropAtAppend(server, DROPS[way % DROPS.length] ?? 'drop_before', WITHIN_MS);
      this.count('server to EventStoreDB');
    } else if (turn % 4 === 1) {
      if ((await eventStore.drop(projector)) > 0) this.count('projector to EventStoreDB');
    } else if (turn % 4 === 2) {
      await mongo.drop(server, FATES[way % FATES.length] ?? 'lose', WITHIN_MS);
      this.count('server to MongoDB');
    } else {
      await this.ofProjector(projector, FATES[way % FATES.length] ?? 'lose');
    }
  }

  private async ofProjector(projector: ProjectorName, fate: (typeof FATES)[number]): Promise<void> {
    const other = PROJECTORS.find((name) => name !== projector) ?? projector;
    await this.cluster.mongo.drop(projector === this.spared ? other : projector, fate, WITHIN_MS);
    this.count('projector to MongoDB');
  }

  private count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1);
  }
}
