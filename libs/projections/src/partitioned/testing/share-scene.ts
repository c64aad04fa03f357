import type { EventBatch } from '@counterfoil/event-store';
import type { DocumentStore } from '@counterfoil/read-models';
import { MemoryEventStore, TallyFeed, tallySet } from '@counterfoil/testing';
import { partitionOf } from '../../names.js';
import { readPositions } from '../../positions.js';
import { settingsOf, type Settings } from '../../settings.js';
import { GenerationShare } from '../share.js';
import { StoreScene } from './store-scene.js';

export const PARTITIONS = 5;

/** Every partition, owned in one epoch. */
export const all = (epoch: number): Map<number, number> =>
  new Map(Array.from({ length: PARTITIONS }, (_, partition) => [partition, epoch]));

/** A stream of each partition. */
export function streamOf(partition: number): string {
  for (let n = 0; ; n++) if (partitionOf(`session-w1/s${n}`, PARTITIONS) === partition) return `session-w1/s${n}`;
}

/** Shares of one generation over events of the test's. */
export class ShareScene extends StoreScene {
  events = new MemoryEventStore();
  feed = new TallyFeed(this.events);

  constructor() {
    super(0);
  }

  override async begin(): Promise<void> {
    await super.begin();
    this.events = new MemoryEventStore();
    this.feed = new TallyFeed(this.events);
  }

  open(store: DocumentStore = this.docs, partitions = PARTITIONS): Promise<GenerationShare> {
    return GenerationShare.open(this.settings(store, partitions), 1, () => Promise.resolve());
  }

  async positions(): Promise<readonly (bigint | null)[] | undefined> {
    return (await readPositions(this.docs, tallySet(this.version), 1, PARTITIONS))?.positions;
  }

  /** The next batch for a share. */
  async nextBatch(share: GenerationShare, batchSize = 500): Promise<EventBatch | null> {
    for await (const batch of this.events.readAll(share.position, { batchSize })) return batch;
    return null;
  }

  /** Applies everything that there is. */
  async catchUp(share: GenerationShare): Promise<void> {
    for (;;) {
      const batch = await this.nextBatch(share);
      if (batch === null) return;
      await share.apply(batch);
    }
  }

  private settings(store: DocumentStore, partitions: number): Settings {
    return settingsOf({ events: this.events, docs: store, set: tallySet(this.version), partitions, clock: this.clock });
  }
}

/** A scene for each test of a group, which calls this once. */
export function shareScene(): ShareScene {
  const scene = new ShareScene();
  beforeEach(() => scene.begin());
  afterEach(() => scene.end());
  return scene;
}
