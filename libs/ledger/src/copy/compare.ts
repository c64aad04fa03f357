import { verifyStore, type RawEvent, type VerifiableStore, type VerifyOptions, type VerifyReport } from '@counterfoil/event-store';
import { Tally, type StreamDifference } from './tally.js';

const MOST_LISTED = 100;

export interface Comparison {
  /** Every chain of the copy, checked from its first event on. */
  readonly verification: VerifyReport;
  /** Streams of which the copy holds others, more or fewer events; at most 100. */
  readonly differences: readonly StreamDifference[];
  /** The copy is whole, and holds what was read of the source: number, types and hashes of the events, and every stream's head. */
  readonly isEqual: boolean;
}

/**
 * Reads the whole copy, checks its chains, and compares it with what was read of the source.
 *
 * @throws StoreUnavailableError
 */
export async function compareWithSource(
  source: Tally,
  target: VerifiableStore,
  options: Pick<VerifyOptions, 'signal' | 'onProgress'>,
): Promise<Comparison> {
  const tally = new Tally();
  const counted: VerifiableStore = {
    densePositions: target.densePositions,
    readRaw: (after) => counting(target.readRaw(after), tally),
    linkAt: (stream, position) => target.linkAt(stream, position),
    extent: () => target.extent(),
  };
  const verification = await verifyStore(counted, { ...options, faultLimit: MOST_LISTED });
  if (!verification.complete) return { verification, differences: [], isEqual: false };
  return { verification, differences: source.differences(tally, MOST_LISTED), isEqual: verification.ok && source.equals(tally) };
}

async function* counting(pages: AsyncIterable<readonly RawEvent[]>, tally: Tally): AsyncGenerator<readonly RawEvent[], void, undefined> {
  for await (const page of pages) {
    for (const event of page) count(event, tally);
    yield page;
  }
}

/** What is no event at all is a fault of the verification, and missing here. */
function count({ stream, revision, type, hash }: RawEvent, tally: Tally): void {
  if (typeof stream !== 'string' || typeof revision !== 'bigint' || typeof type !== 'string' || typeof hash !== 'string') return;
  tally.add({ stream, revision, type, hash });
}
