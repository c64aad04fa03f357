import { setTimeout as sleep } from 'node:timers/promises';
import type { NewEvent } from '@counterfoil/contracts';
import { OutcomeUnknownError, StoreUnavailableError, WrongExpectedRevisionError } from '@counterfoil/event-store';
import type { EventStore, ExpectedRevision } from '@counterfoil/event-store';

/** `appended`: it is the stream's first event now. `version`: a further one. `same`, `different`: by content digests of what was there. */
export type AppendedOnce = 'appended' | 'version' | 'same' | 'different';

/** What is to be stored, and how it compares with what the stream may hold already. */
export interface Appending {
  readonly stream: string;
  readonly event: NewEvent;
  readonly contentDigest: string;
  /** Whether another content is a later version of the record, appended behind the others. */
  readonly isRewritable?: boolean;
}

/** Stores what an import has prepared, or says what storing it would do. */
export type Append = (appending: Appending) => Promise<AppendedOnce>;

const TRIES = 6;
const FIRST_PAUSE_MS = 50;

/**
 * Appends an event as the first of its stream, or says how it compares with what is there: appending at "no stream" is the duplicate
 * check (design §4), whatever the order of import. Of a record that its source rewrites a new content is appended behind the others.
 *
 * A lost answer is asked for again with the same event id (promise 26). A store that is away is waited for, about three seconds.
 *
 * @throws the store's error when it can't be reached or will not take the event
 */
export async function appendOnce(store: EventStore, appending: Appending): Promise<AppendedOnce> {
  let expected: ExpectedRevision = 'no_stream';
  let answerLost = false;
  for (let attempt = 1; ; attempt++) {
    try {
      const { repeated } = await store.append({ stream: appending.stream, expected, events: [appending.event] });
      const added = expected === 'no_stream' ? 'appended' : 'version';
      if (!repeated) return added;
      // The same run has this event already: from our own lost try, or from another line with the same key. Stores compare ids
      // alone, never content.
      const found = await compare(store, appending);
      return answerLost && found.is === 'same' ? added : found.is;
    } catch (error) {
      if (error instanceof WrongExpectedRevisionError) {
        const { is, last } = await compare(store, appending);
        if (is === 'same' || appending.isRewritable !== true) return is;
        expected = last;
        continue;
      }
      const passing = error instanceof OutcomeUnknownError || error instanceof StoreUnavailableError;
      if (!passing || attempt === TRIES) throw error;
      answerLost ||= error instanceof OutcomeUnknownError;
      await sleep(FIRST_PAUSE_MS * 2 ** (attempt - 1));
    }
  }
}

/** What `appendOnce` would answer, with nothing stored. */
export async function lookUp(store: EventStore, appending: Appending): Promise<AppendedOnce> {
  if ((await store.streamHead(appending.stream)) === null) return 'appended';
  const { is } = await compare(store, appending);
  return is === 'different' && appending.isRewritable === true ? 'version' : is;
}

/** Whether any of the stream's events has the content, and the revision of the last one. */
async function compare(store: EventStore, { stream, contentDigest }: Appending): Promise<{ is: 'same' | 'different'; last: bigint }> {
  let last: bigint | null = null;
  for await (const stored of store.readStored(null, { stream })) {
    if (digestOf(stored.data) === contentDigest) return { is: 'same', last: stored.revision };
    last = stored.revision;
  }
  if (last === null) throw new StoreUnavailableError('the stream exists and could not be read');
  return { is: 'different', last };
}

/** All events of history hold it in one place; read as stored, so that an event which no longer upcasts still compares. */
function digestOf(data: unknown): unknown {
  return typeof data === 'object' && data !== null && 'contentDigest' in data ? data.contentDigest : undefined;
}
