import { Injectable } from '@nestjs/common';
import { DomainError } from '@counterfoil/contracts';

/** Streams that one key may have open at a server. */
export const STREAMS_PER_KEY = 32;

/** Counts open streams by key, so that one client can't hold all of a server's connections. */
@Injectable()
export class StreamLimit {
  private readonly byKey = new Map<string, number>();

  /** Streams open at this server. */
  get open(): number {
    return [...this.byKey.values()].reduce((sum, count) => sum + count, 0);
  }

  /**
   * @returns gives the place back; again does nothing
   * @throws DomainError `too_many_streams`
   */
  take(keyId: string): () => void {
    const count = this.byKey.get(keyId) ?? 0;
    if (count >= STREAMS_PER_KEY) throw new DomainError('too_many_streams', `A key may have ${STREAMS_PER_KEY} streams open at a server.`);
    this.byKey.set(keyId, count + 1);
    let taken = true;
    return () => {
      if (!taken) return;
      taken = false;
      const left = (this.byKey.get(keyId) ?? 1) - 1;
      if (left === 0) this.byKey.delete(keyId);
      else this.byKey.set(keyId, left);
    };
  }
}
