import { DomainError } from '@counterfoil/contracts';
import {
  EventTooLargeError,
  LedgerSealedError,
  OutcomeUnknownError,
  StoreUnavailableError,
  type AppendRequest,
  type AppendResult,
  type EventStore,
} from '@counterfoil/event-store';
import { ProjectionLaggingError, StreamParkedError } from '@counterfoil/projections';
import { DocumentStoreUnavailableError } from '@counterfoil/read-models';

/** Tries of one append whose answer was lost. */
const APPEND_TRIES = 4;

/** An append whose answer was lost is sent again, with the same ids, until the store answers (design §4), unless the store did that itself. */
export async function appendUntilAnswered(store: EventStore, request: AppendRequest): Promise<AppendResult> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await store.append(request);
    } catch (error) {
      if (!(error instanceof OutcomeUnknownError) || error.wasResent || attempt >= APPEND_TRIES) throw error;
      await pause(attempt);
    }
  }
}

/** What a store's failure is to a caller; anything else is given back as it is. */
export function asDomainError(error: unknown): unknown {
  if (error instanceof OutcomeUnknownError) return new DomainError('outcome_unknown', 'The store did not say whether it recorded this.');
  if (error instanceof StoreUnavailableError) {
    return new DomainError('store_unavailable', 'The store cannot be reached; nothing was recorded.');
  }
  if (error instanceof LedgerSealedError) return new DomainError('ledger_sealed', 'The ledger was moved, and takes no commands any more.');
  if (error instanceof ProjectionLaggingError) {
    return new DomainError('projection_lagging', 'The read models have not reached the position that was asked for.');
  }
  if (error instanceof StreamParkedError)
    return new DomainError('stream_parked', 'An event that this would be joined from cannot be projected.');
  if (error instanceof DocumentStoreUnavailableError)
    return new DomainError('read_models_unavailable', 'The read models cannot be read now.');
  return error instanceof EventTooLargeError ? new DomainError('event_too_large', error.message) : error;
}

/** Backs off with jitter: up to 2, 4, 8 … 64 ms. */
export async function pause(attempt: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(64, 2 ** (attempt + 1))));
}
