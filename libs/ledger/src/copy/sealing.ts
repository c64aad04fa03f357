import { uuidV7 } from '@counterfoil/canonical';
import { CURRENT_VERSIONS, type EventData, type NewEvent, type RecordedEvent } from '@counterfoil/contracts';
import {
  ACCESS_STREAM,
  LEDGER_SEALED,
  OutcomeUnknownError,
  StoreUnavailableError,
  WrongExpectedRevisionError,
  type EventStore,
} from '@counterfoil/event-store';
import { pause } from '../store-answers.js';
import { CopyError } from './copy-error.js';

/** Keys that are made in a row may win so often. */
const TRIES = 64;

/** The epoch of the ledger that goes on in its place; null for a ledger that hasn't ended. */
export async function sealedFor(store: EventStore): Promise<string | null> {
  return targetIn(await lastOfAccess(store));
}

/** @throws CopyError `copy_sealed_for_another` when it ended for another one than this */
export function checkSealedFor(sealed: string | null, targetEpoch: string): void {
  if (sealed === null || sealed === targetEpoch) return;
  throw new CopyError('copy_sealed_for_another', `The source was moved to the ledger ${sealed} already: copy it without --seal.`);
}

/**
 * Ends a ledger: appends LedgerSealed to `access`, after whatever is written there meanwhile. Does nothing where it has ended.
 *
 * @param targetEpoch of the ledger that goes on
 * @throws CopyError `copy_sealed_for_another`; StoreUnavailableError, OutcomeUnknownError
 */
export async function sealLedger(store: EventStore, targetEpoch: string, now: () => number): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const last = await lastOfAccess(store);
    const sealed = targetIn(last);
    checkSealedFor(sealed, targetEpoch);
    if (sealed !== null) return;
    try {
      await store.append({ stream: ACCESS_STREAM, expected: last?.revision ?? 'no_stream', events: [sealEvent(targetEpoch, now())] });
      return;
    } catch (error) {
      if (!isPassing(error) || attempt >= TRIES) throw error;
      await pause(attempt);
    }
  }
}

/** Somebody was faster, or didn't say: what stands there is looked at again. */
const isPassing = (error: unknown): boolean =>
  error instanceof WrongExpectedRevisionError || error instanceof OutcomeUnknownError || error instanceof StoreUnavailableError;

async function lastOfAccess(store: EventStore): Promise<RecordedEvent | null> {
  for await (const event of store.readStream(ACCESS_STREAM, { direction: 'backwards', limit: 1 })) return event;
  return null;
}

function targetIn(last: RecordedEvent | null): string | null {
  if (last?.type !== LEDGER_SEALED) return null;
  return (last.data as EventData<'LedgerSealed'>).targetEpoch;
}

function sealEvent(targetEpoch: string, now: number): NewEvent {
  const data: EventData<'LedgerSealed'> = { reason: 'moved', targetEpoch };
  return {
    id: uuidV7(now),
    type: LEDGER_SEALED,
    version: CURRENT_VERSIONS.LedgerSealed,
    data,
    metadata: {
      recordedAt: new Date(now).toISOString(),
      occurredAt: null,
      actor: { principal: 'service:copy', keyId: 'internal' },
      correlationId: null,
      causationId: null,
      traceparent: null,
    },
  };
}
