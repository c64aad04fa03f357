import { setTimeout as delay } from 'node:timers/promises';

/** Milliseconds of a clock that never steps back and that no other process shares. */
export type Monotonic = () => number;

export const monotonic: Monotonic = () => performance.now();

/** Waits so long, or until the signal aborts; leaves no timer behind. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return;
  try {
    await delay(ms, undefined, { signal });
  } catch {
    // An abort is the only thing that ends a delay early.
  }
}

/** Waits for all of them, and only then throws what the first of them threw: nothing is left under way. */
export async function allOf(work: readonly Promise<unknown>[]): Promise<void> {
  for (const result of await Promise.allSettled(work)) if (result.status === 'rejected') throw result.reason;
}

/** A wait that others can cut short. */
export class Nudge {
  private readonly waiting = new Set<AbortController>();

  /** Ends all waits that are under way. */
  now(): void {
    for (const controller of this.waiting) controller.abort();
  }

  /** Waits so long, or until somebody nudges or the signal aborts. */
  async wait(ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const controller = new AbortController();
    const stop = (): void => controller.abort();
    signal.addEventListener('abort', stop, { once: true });
    this.waiting.add(controller);
    try {
      await pause(ms, controller.signal);
    } finally {
      this.waiting.delete(controller);
      signal.removeEventListener('abort', stop);
    }
  }
}
