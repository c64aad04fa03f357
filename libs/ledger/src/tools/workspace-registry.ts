import type { EventMetadata, RecordedEvent, RegistryEvent } from '@counterfoil/contracts';
import type { EventStore } from '@counterfoil/event-store';
import { evolveRegistry, initialRegistry, toolDirectory, type ToolSchemas } from '@counterfoil/registry';
import type { ToolDirectory } from '@counterfoil/session';

export const registryStream = (workspaceId: string): string => `registry-${workspaceId}`;

/** When a policy was set, and by whom. */
export interface PolicyOrigin {
  readonly setAt: string;
  readonly setBy: string;
}

export const policyOriginOf = ({ recordedAt, actor }: Pick<EventMetadata, 'recordedAt' | 'actor'>): PolicyOrigin => ({
  setAt: recordedAt,
  setBy: actor.principal,
});

/** What a workspace takes beside its specs, about, in UTF-16 units. */
const OWN_UNITS = 1000;

/** The folded registry of one workspace, and where its stream was read to. */
export class WorkspaceRegistry {
  readonly state = initialRegistry();
  /** Global position of the last event folded; 0n before the first. */
  position = 0n;
  policyOrigin: PolicyOrigin | null = null;
  private reading: Promise<void> | null = null;
  private next: Promise<void> | null = null;
  private shown: ToolDirectory | null = null;

  constructor(
    private readonly store: EventStore,
    private readonly stream: string,
    private readonly schemas: ToolSchemas,
  ) {}

  /** About how much memory it takes. */
  get units(): number {
    return OWN_UNITS + this.state.units;
  }

  /** The directory at what is folded. It is made once for each revision. */
  directory(): ToolDirectory {
    const revision = this.state.revision < 0 ? null : String(this.state.revision);
    const { shown } = this;
    if (shown?.revision === revision) return shown;
    this.shown = toolDirectory(this.state, this.schemas);
    return this.shown;
  }

  /**
   * Reads the stream to an end that is no older than this call. A read that is under way may have begun before, so those who come
   * meanwhile share the one after it: however many they are, two reads are enough.
   */
  readOn(): Promise<void> {
    if (this.reading === null) return this.start();
    this.next ??= this.afterwards(this.reading);
    return this.next;
  }

  fold(events: readonly RecordedEvent[]): void {
    for (const { type, data, revision, position, metadata } of events) {
      if (revision <= BigInt(this.state.revision)) continue;
      evolveRegistry(this.state, { type, data, revision: Number(revision) } as RegistryEvent & { readonly revision: number });
      this.position = position;
      if (type === 'PolicySet') this.policyOrigin = policyOriginOf(metadata);
    }
  }

  private start(): Promise<void> {
    this.reading = this.read().finally(() => {
      this.reading = null;
    });
    return this.reading;
  }

  private async afterwards(before: Promise<void>): Promise<void> {
    // Whether it failed is the matter of those who waited for it.
    await before.catch(() => undefined);
    this.next = null;
    // One that somebody else has begun since then is new enough.
    await (this.reading ?? this.start());
  }

  private async read(): Promise<void> {
    const from = BigInt(this.state.revision + 1);
    for await (const event of this.store.readStream(this.stream, { from })) this.fold([event]);
  }
}
