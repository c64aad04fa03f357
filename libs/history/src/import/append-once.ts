import { setTimeout as sleep } from 'node:timers/promises';
import type { NewEvent } from '@counterfoil/contracts';
import { OutcomeUnknownError, StoreUnavailableError, WrongExpectedRevisionError } from '@counterfoil/event-store';
import type { EventStore } from '@counterfoil/event-store';

/** `appended`: it is the stream's first event now. `same`, `different`: by content digest of the event that was there. */
export type AppendedOnce = 'appended' | 'same' | 'different';

const TRIES = 6;
const FIRST_PAUSE_MS = 50;

/**
 * Appends an event as the first of its stream, or says how it compares with the one that is there: appending at "no stream" is the
 * duplicate check (design §4), whatever the order of import.
 *
 * A lost answer is asked for again with the same event id (promise 26). A store that is away is waited for, about three seconds.
 *
 * @throws the store's error when it can't be reached or will not take the event
 */
export async function appendOnce(store: EventStore, stream: string, event: NewEvent, contentDigest: string): Promise<AppendedOnce> {
  let answerLost = false;
  for (let attempt = 1; ; attempt++) {
    try {
      const { repeated } = await store.append({ stream, expected: 'no_stream', events: [event] });
      if (!repeated) return 'appended';
      // The same run has this event already: from our own lost try, or from another line with the same key. Stores compare ids
      // alone, never content.
      const found = await compare(store, stream, contentDigest);
      return answerLost && found === 'same' ? 'appended' : found;
    } catch (error) {
      if (error instanceof WrongExpectedRevisionError) return await compare(store, stream, contentDigest);
      const passing = error instanceof OutcomeUnknownError || error instanceof StoreUnavailableError;
      if (!passing || attempt === TRIES) throw error;
      answerLost ||= error instanceof OutcomeUnknownError;
      await sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1));
    }
  }
}

async function compare(store: EventStore, stream: string, contentDigest: string): Promise<AppendedOnce> {
  for await (const stored of store.readStored(null, { stream, limit: 1 })) {
    return digestOf(stored.data) === contentDigest ? 'same' : 'different';
  }
  throw new StoreUnavailableError('the stream exists and could not be read');
}

/** Both events of history hold it in one place; read as stored, so that an event which no longer upcasts still compares. */
function digestOf(data: unknown): unknown {
  return typeof data === 'object' && data !== null && 'contentDigest' in data ? data.contentDigest : undefined;
}
