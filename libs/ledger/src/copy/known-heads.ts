import type { StoredEvent } from '@counterfoil/contracts';
import type { ChainLink, EventStore } from '@counterfoil/event-store';
import { CopyError } from './copy-error.js';

/** How far the streams of the target are, for who reads the source from its beginning: what is there is compared and left out. */
export class KnownHeads {
  /** Those that the target has events of which the source hasn't been read yet. */
  private readonly ahead = new Map<string, ChainLink>();

  /** @param isNew the target was empty, so that no stream needs to be asked for */
  constructor(
    private readonly target: Pick<EventStore, 'streamHead'>,
    private readonly isNew: boolean,
  ) {}

  /**
   * Those of the events that the target doesn't hold. To be called with each stream's events in order, from its first on.
   *
   * @throws CopyError `copy_target_differs`: a chain of hashes is the same up to its head, or isn't at all
   */
  async missing(stream: string, events: readonly StoredEvent[]): Promise<readonly StoredEvent[]> {
    if (this.isNew) return events;
    if (events[0]?.revision === 0n) await this.ask(stream);
    const head = this.ahead.get(stream);
    if (head === undefined) return events;
    const last = events.at(-1);
    if (last === undefined || last.revision < head.revision) return [];
    const same = events.find(({ revision }) => revision === head.revision);
    if (same?.metadata.integrity.hash !== head.hash) throw differs(stream, 'holds other events than the source');
    this.ahead.delete(stream);
    return events.filter(({ revision }) => revision > head.revision);
  }

  /** When the source was read to its end: nothing may be left. @throws CopyError `copy_target_differs` */
  checkEnd(): void {
    for (const stream of this.ahead.keys()) throw differs(stream, 'holds more events than the source');
  }

  private async ask(stream: string): Promise<void> {
    const head = await this.target.streamHead(stream);
    if (head !== null) this.ahead.set(stream, { revision: head.revision, hash: head.hash });
  }
}

const differs = (stream: string, how: string): CopyError =>
  new CopyError('copy_target_differs', `The target's stream ${JSON.stringify(stream)} ${how}: something else was written there.`);
