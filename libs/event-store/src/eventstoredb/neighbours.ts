import { StoreSettingsError } from '../errors.js';
import type { AllPage, AnyRecord, Calls } from './calls.js';
import { isLedgerStream } from './ledger-facts.js';
import type { Retrying } from './retrying.js';
import { StreamReader } from './stream-reader.js';

/** So many of the newest records of the server are looked at for streams that a new prefix would take for its own. */
const RECENT = 10_000;
const PAGE = 512;

export interface NeighbourParts {
  /** Calls that see the streams under a prefix. */
  readonly callsUnder: (prefix: string) => Calls;
  readonly retrying: Retrying;
  /** Of the ledger that is to be made. */
  readonly prefix: string;
}

/**
 * Before a ledger is made: a ledger takes every stream that begins with its prefix for its own, so that one among another's streams ruins
 * that one for good. Ledgers with a shorter prefix are found for sure; of those with a longer one, what is among the newest records.
 *
 * @throws StoreSettingsError; StoreUnavailableError
 */
export async function refuseNeighbours(parts: NeighbourParts): Promise<void> {
  const { prefix, callsUnder, retrying } = parts;
  for (let length = 1; length < prefix.length; length++) {
    const shorter = prefix.slice(0, length);
    if (await isLedgerStream(new StreamReader(callsUnder(shorter), retrying))) throw overlapping(shorter);
  }
  if (await holdsStreamsOfOthers(parts)) throw overlapping(`${prefix}…`);
}

async function holdsStreamsOfOthers({ callsUnder, prefix, retrying }: NeighbourParts): Promise<boolean> {
  const calls = callsUnder(prefix);
  const pageBefore = (from: AllPage['from']): Promise<readonly AnyRecord[]> =>
    retrying.read((signal) => calls.allPage({ from, direction: 'backwards', count: PAGE }, signal));
  let from: AllPage['from'] = 'end';
  for (let seen = 0; seen < RECENT;) {
    const page = await pageBefore(from);
    const last = page.at(-1);
    if (last === undefined) return false;
    if (page.some(({ ours }) => ours !== null)) return true;
    seen += page.length;
    from = last.place;
  }
  return false;
}

const overlapping = (other: string): StoreSettingsError =>
  new StoreSettingsError(
    `the stream prefix overlaps with that of another ledger in this server (${other}): choose one so that neither begins with the other`,
  );
