import type { Settings } from './settings.js';

interface Followed {
  position: bigint;
  deliveredAt: number;
  isBusy: boolean;
  readonly stop: AbortController;
}

/** A subscription can go quiet without an error (case 59): when the head has been ahead for long, it is ended, and a new one is made. */
export class StallWatch {
  private followed: Followed | null = null;

  constructor(private readonly settings: Pick<Settings, 'events' | 'clock' | 'stallMs'>) {}

  /** A subscription begins after this position. */
  begin(position: bigint, stop: AbortController): void {
    this.followed = { position, deliveredAt: this.settings.clock(), isBusy: false, stop };
  }

  /** A batch came, and is being applied. */
  busy(): void {
    if (this.followed !== null) this.followed.isBusy = true;
  }

  /** It was applied. */
  delivered(position: bigint): void {
    if (this.followed !== null) Object.assign(this.followed, { position, deliveredAt: this.settings.clock(), isBusy: false });
  }

  /** There is no subscription. */
  end(): void {
    this.followed = null;
  }

  /** Ends what is followed now. */
  stop(): void {
    this.followed?.stop.abort();
  }

  /** Is there a subscription, and nothing left to apply? */
  async isAtHead(): Promise<boolean> {
    const { followed } = this;
    return followed !== null && !followed.isBusy && (await this.settings.events.head()) <= followed.position;
  }

  /** To be called every so often. */
  async look(): Promise<void> {
    const { followed } = this;
    const { events, clock, stallMs } = this.settings;
    if (followed === null || followed.isBusy || clock() - followed.deliveredAt < stallMs) return;
    const { position } = followed;
    followed.deliveredAt = clock();
    if ((await events.head()) > position && followed.position === position) followed.stop.abort();
  }
}
