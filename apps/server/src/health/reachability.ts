import type { Ledger, LedgerHealth } from '@counterfoil/ledger';
import { SharedLook } from '@counterfoil/runtime';

/** Whoever asks has a time limit of a few seconds, and a store that is away is tried again for longer than that. */
const LIMIT_MS = 2500;
/** A control document that nobody writes: what counts is that the store answers. */
const NO_DOCUMENT = 'health';

/** The stores, by names that say what is in them and not where they are. */
export type StorePart = 'event_store' | 'read_models';

export interface Reached {
  /** Null when it could not be read in time. */
  readonly health: LedgerHealth | null;
  readonly unreachable: readonly StorePart[];
}

/** Asks the stores of a ledger, each by itself, so that it can be told which one doesn't answer. */
export class Reachability {
  private readonly health: SharedLook<LedgerHealth>;
  private readonly parts: Readonly<Record<StorePart, SharedLook<true>>>;

  constructor(
    ledger: { readonly store: Pick<Ledger['store'], 'head'>; readonly docs: Pick<Ledger['docs'], 'control'> } & Pick<Ledger, 'health'>,
  ) {
    this.health = new SharedLook(() => ledger.health(), { limitMs: LIMIT_MS });
    this.parts = {
      event_store: answers(() => ledger.store.head()),
      read_models: answers(() => ledger.docs.control(NO_DOCUMENT)),
    };
  }

  async look(): Promise<Reached> {
    const { event_store, read_models } = this.parts;
    const [health, events, docs] = await Promise.all([this.health.get(), event_store.get(), read_models.get()]);
    const unreachable: StorePart[] = [];
    if (events === null) unreachable.push('event_store');
    if (docs === null) unreachable.push('read_models');
    return { health, unreachable };
  }
}

const answers = (ask: () => Promise<unknown>): SharedLook<true> =>
  new SharedLook(async () => ask().then(() => true), { limitMs: LIMIT_MS });
