import { ChainLinks, type EventStore, type VerifiableStore } from '@counterfoil/event-store';
import { CopyError } from './copy-error.js';

export interface CheckTerms {
  readonly signal: AbortSignal;
  /** After events of the source: how many were read, and up to which position. */
  readonly onRead: (events: number, position: bigint) => void;
}

const TELL_EVERY = 1024;

/**
 * Sees that a copy which could have been opened as a ledger since holds nothing but what its source holds: before a single event is written
 * there, and before the source ends for it. A server that was started on the copy writes by itself, when a lease runs out for one.
 *
 * @throws CopyError `copy_target_differs`
 */
export async function checkTarget(
  source: Pick<EventStore, 'head' | 'readStored'>,
  target: VerifiableStore,
  terms: CheckTerms,
): Promise<void> {
  const heads = await headsOf(target, terms.signal);
  const left = new Set(heads.names());
  const until = await source.head();
  let events = 0;
  for await (const event of source.readStored(null)) {
    if (event.position > until || left.size === 0 || terms.signal.aborted) break;
    const head = heads.get(event.stream);
    if (head?.revision === event.revision) {
      // A chain of hashes is the same up to its head, or isn't at all.
      if (head.hash !== event.metadata.integrity.hash) throw differs(event.stream);
      left.delete(event.stream);
    }
    if (++events % TELL_EVERY === 0) terms.onRead(events, event.position);
  }
  if (terms.signal.aborted) return;
  const [more] = left;
  if (more !== undefined) throw differs(more);
}

async function headsOf(target: VerifiableStore, signal: AbortSignal): Promise<ChainLinks> {
  const heads = new ChainLinks();
  for await (const page of target.readRaw(null)) {
    if (signal.aborted) break;
    for (const { stream, revision, hash } of page) {
      if (typeof stream === 'string' && typeof revision === 'bigint') heads.set(stream, { revision, hash: String(hash) });
    }
  }
  return heads;
}

const differs = (stream: string): CopyError =>
  new CopyError(
    'copy_target_differs',
    `The target's stream ${JSON.stringify(stream)} holds events that the source doesn't: something was written there. Nothing was copied.`,
  );
