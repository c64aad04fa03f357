import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredEvent } from '@counterfoil/contracts';
import { EventTooLargeError, OutcomeUnknownError, StoreUnavailableError, type RestorableStore } from '@counterfoil/event-store';

const TRIES = 8;
const FIRST_PAUSE_MS = 50;

/**
 * Restores what follows each other in a stream, and again when the store was away or didn't say: what is there already is recognised.
 *
 * @returns how many events were added
 * @throws as `RestorableStore.restore`
 */
export async function restoreCall(target: RestorableStore, stream: string, events: readonly StoredEvent[]): Promise<number> {
  try {
    return await untilAnswered(target, stream, events);
  } catch (error) {
    if (!(error instanceof EventTooLargeError) || events.length < 2) throw error;
    // What a call weighs was guessed; a part of it fits.
    const half = events.length >> 1;
    const first = await restoreCall(target, stream, events.slice(0, half));
    return first + (await restoreCall(target, stream, events.slice(half)));
  }
}

async function untilAnswered(target: RestorableStore, stream: string, events: readonly StoredEvent[]): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    try {
      return (await target.restore(stream, events)).added;
    } catch (error) {
      const passing = error instanceof OutcomeUnknownError || error instanceof StoreUnavailableError;
      if (!passing || attempt === TRIES) throw error;
      await sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1));
    }
  }
}
