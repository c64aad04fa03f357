import { initialState, type SessionState } from '@counterfoil/session';

/** A folded session and where its stream was read to. */
export interface CachedSession {
  state: SessionState;
  /** Global position of the last event folded; 0n before the first. */
  position: bigint;
}

/**
 * Folded sessions by stream name, the least recently used one leaving first. Bounded by calls held, not by sessions: that is what
 * costs memory.
 */
export class SessionCache {
  private readonly sessions = new Map<string, CachedSession>();
  private calls = 0;

  /** @param limit calls held in all cached sessions together */
  constructor(private readonly limit = 500_000) {}

  take(stream: string): CachedSession {
    const cached = this.sessions.get(stream);
    if (cached === undefined) return { state: initialState(), position: 0n };
    this.sessions.delete(stream);
    this.calls -= weight(cached);
    return cached;
  }

  /** Gives a session back after use; one that was never opened is not kept. */
  put(stream: string, session: CachedSession): void {
    if (session.state.identity === null) return;
    this.sessions.set(stream, session);
    this.calls += weight(session);
    for (const [name, oldest] of this.sessions) {
      if (this.calls <= this.limit || name === stream) return;
      this.sessions.delete(name);
      this.calls -= weight(oldest);
    }
  }
}

/** An empty session costs about as much as twenty ended calls. */
const weight = (session: CachedSession): number => 20 + session.state.calls;
