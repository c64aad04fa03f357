import type { ControlDocument, DocumentStore } from '@counterfoil/read-models';
import { LeaseLostError, RebuildInProgressError } from './errors.js';
import { pause, type Monotonic } from './timing.js';

export interface LeaseTerms {
  readonly docs: DocumentStore;
  readonly key: string;
  /** Unique to whoever runs: a lease that names it can only be its own, left over. */
  readonly owner: string;
  /** How long the lease holds without a beat, in milliseconds. */
  readonly leaseMs: number;
  readonly clock: Monotonic;
}

/** The longest that a contender sleeps between two looks. */
const LONGEST_LOOK_MS = 500;

/**
 * A lease that is held (design §5, Ports). It has an epoch, which fences what its earlier owners may still try. As soon as it could have
 * been taken over, by this process's own clock, it no longer counts as held until the store has said so.
 */
export class Lease {
  private readonly losing = new AbortController();
  private beats = 0;
  private renewing: Promise<void> | null = null;

  constructor(
    private readonly terms: LeaseTerms,
    readonly epoch: number,
    private revision: bigint,
    private heldUntil: number,
  ) {}

  /** Aborts when the lease is lost. */
  get lost(): AbortSignal {
    return this.losing.signal;
  }

  /**
   * To be asked before every write. When the lease may have run out meanwhile (the process was halted, or busy), a beat settles it: as
   * long as nobody took it, it is held.
   * @throws LeaseLostError when somebody else has the lease; what the store throws when it can't be asked
   */
  async ensureHeld(): Promise<void> {
    if (!this.lost.aborted && this.terms.clock() >= this.heldUntil) await this.renew();
    if (this.lost.aborted) throw new LeaseLostError(this.terms.key);
  }

  /** One beat. */
  renew(): Promise<void> {
    // Two at once would compete for one revision.
    this.renewing ??= this.beat().finally(() => {
      this.renewing = null;
    });
    return this.renewing;
  }

  /** Gives the lease back, so that the next one needs not wait. */
  async release(): Promise<void> {
    if (this.lost.aborted) return;
    this.losing.abort();
    try {
      await this.write('');
    } catch {
      // Not given back: it runs out.
    }
  }

  private async beat(): Promise<void> {
    if (this.lost.aborted) return;
    const startedAt = this.terms.clock();
    if ((await this.write(this.terms.owner)) || (await this.isStillOurs())) this.heldUntil = startedAt + this.terms.leaseMs;
    else this.losing.abort();
  }

  /** A beat whose answer was lost makes the next one fail, though nobody else has written. */
  private async isStillOurs(): Promise<boolean> {
    const found = await this.terms.docs.control(this.terms.key);
    if (found?.value.owner !== this.terms.owner || found.value.epoch !== this.epoch) return false;
    this.revision = found.revision;
    return true;
  }

  private async write(owner: string): Promise<boolean> {
    this.beats++;
    const value = valueOf(owner, this.epoch, this.beats, this.terms.leaseMs);
    const done = await this.terms.docs.compareAndSet(this.terms.key, this.revision, value);
    if (done) this.revision++;
    return done;
  }
}

const valueOf = (owner: string, epoch: number, beat: number, ms: number): ControlDocument['value'] => ({ owner, epoch, beat, ms });

/**
 * Contends for a lease until it is held. It is taken when it is free, when it is this owner's own left-over, or when it was seen
 * unchanged for its whole duration by the own clock: no clocks are compared.
 * @param rival what to do about one that lives: wait for its end, or refuse
 * @returns null when the signal aborted first
 * @throws RebuildInProgressError when refusing, and the lease was renewed while it was watched
 */
export async function takeLease(terms: LeaseTerms, signal: AbortSignal, rival: 'wait' | 'refuse'): Promise<Lease | null> {
  // The revision that was seen last, and since when.
  let revision: bigint | null = null;
  let since = 0;
  while (!signal.aborted) {
    const askedAt = terms.clock();
    const found = await terms.docs.control(terms.key);
    const isUnchanged = found?.revision === revision;
    if (found === null || isFree(found, terms.owner) || (isUnchanged && askedAt - since >= Number(found.value.ms))) {
      const lease = await tryTakeLease(terms, found);
      if (lease !== null) return lease;
      continue;
    }
    if (!isUnchanged) {
      if (revision !== null && rival === 'refuse') throw new RebuildInProgressError();
      revision = found.revision;
      // Counted from when it was surely read, so that the watch is never shorter than the lease.
      since = terms.clock();
    }
    await pause(Math.min(terms.leaseMs / 4, LONGEST_LOOK_MS), signal);
  }
  return null;
}

/** Has nobody the lease, or only an earlier life of this owner? */
export const isFree = ({ value }: ControlDocument, owner: string): boolean => value.owner === '' || value.owner === owner;

/**
 * Takes a lease as it was found, and null when somebody was faster. Whether it may be taken is the caller's to know.
 * @param found null where there is none yet
 */
export async function tryTakeLease(terms: LeaseTerms, found: ControlDocument | null): Promise<Lease | null> {
  const { docs, key, owner, leaseMs, clock } = terms;
  const epoch = Number(found?.value.epoch ?? 0) + 1;
  const startedAt = clock();
  const done = await docs.compareAndSet(key, found?.revision ?? null, valueOf(owner, epoch, 0, leaseMs));
  return done ? new Lease(terms, epoch, (found?.revision ?? 0n) + 1n, startedAt + leaseMs) : null;
}

/**
 * Ends a lease that was seen unchanged for its whole duration, so that an owner that was only late can't beat on: its epoch is over.
 * @returns false when it isn't as it was found
 */
export function killLease(docs: DocumentStore, { key, revision, value }: ControlDocument): Promise<boolean> {
  return docs.compareAndSet(key, revision, valueOf('', Number(value.epoch) + 1, 0, Number(value.ms)));
}
