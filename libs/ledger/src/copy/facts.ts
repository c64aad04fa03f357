import { randomBytes } from 'node:crypto';
import type { LedgerFactStore } from '@counterfoil/event-store';
import { LedgerStartError } from '../errors.js';
import type { LedgerStore } from '../stores/open-stores.js';
import { CopyError } from './copy-error.js';

/** In a copy: the epoch of the ledger that it is one of. */
const COPIED_FROM = 'copied_from';
/** In a copy, for the nth run that wrote into it: that it began, and the source's position up to which it was then found to be whole. */
const begunKey = (run: number): string => `copy_begun:${String(run)}`;
const verifiedKey = (run: number): string => `copy_verified:${String(run)}`;
/** What a ledger knows of its keys moves with it; anything else is a store's own. */
const MOVES = 'key_check:';

type Facts = (key: string) => string | null;

/**
 * Makes the target a copy of the source, or sees that it is one.
 *
 * @throws CopyError `copy_onto_itself`, `copy_target_in_use`, `copy_of_another_ledger`, `copy_source_unfinished`
 */
export async function claimTarget(source: LedgerStore, target: LedgerStore): Promise<void> {
  if (source.epoch === target.epoch) throw new CopyError('copy_onto_itself', 'Both are one ledger: name another place to copy it to.');
  if (isUnfinished(asGetter(await source.facts())))
    throw new CopyError('copy_source_unfinished', 'The source is a copy that is not finished: finish it first.');
  const standing = (await target.facts()).get(COPIED_FROM);
  if (standing === undefined && (await target.head()) > 0n) {
    throw new CopyError('copy_target_in_use', 'The target holds a ledger already: name an empty place.');
  }
  const of = standing ?? (await target.setMetaOnce(COPIED_FROM, source.epoch));
  if (of === source.epoch) return;
  throw new CopyError('copy_of_another_ledger', `The target is a copy of the ledger ${of}, not of ${source.epoch}: name an empty place.`);
}

/**
 * Takes over what the source knows of its keys. Before the events that were made with them, so that the copy never starts with others.
 *
 * @throws CopyError `copy_keys_differ`
 */
export async function copyFacts(source: LedgerFactStore, target: LedgerFactStore): Promise<void> {
  for (const [key, value] of await source.facts()) {
    if (!key.startsWith(MOVES) || (await target.setMetaOnce(key, value)) === value) continue;
    throw new CopyError('copy_keys_differ', 'A server with other keys was started on the target: name an empty place.');
  }
}

/** Could a server have been started on this copy? */
export const wasVerified = async (target: LedgerFactStore): Promise<boolean> => {
  const facts = asGetter(await target.facts());
  return Array.from({ length: lastBegun(facts) }, (_, n) => facts(verifiedKey(n + 1))).some((one) => one !== null);
};

/** Says in the copy that it is being written into, and at the end that it is whole: what is cut off in between is not opened as a ledger. */
export class CopyMarks {
  private begun: Promise<number> | null = null;

  constructor(private readonly target: LedgerFactStore) {}

  /** Before this run writes anything. */
  async begin(): Promise<void> {
    await (this.begun ??= this.beginRun());
  }

  /** The copy was compared and is whole. */
  async markVerified(position: bigint): Promise<void> {
    const run = await (this.begun ?? this.lastRun());
    await this.target.setMetaOnce(verifiedKey(run), position.toString());
  }

  /** A run that had nothing to write finishes the one before; an empty ledger has been written whole, too. */
  private async lastRun(): Promise<number> {
    const last = lastBegun(asGetter(await this.target.facts()));
    return last > 0 ? last : this.beginRun();
  }

  private async beginRun(): Promise<number> {
    const mine = randomBytes(8).toString('hex');
    for (let run = lastBegun(asGetter(await this.target.facts())) + 1; ; run++) {
      if ((await this.target.setMetaOnce(begunKey(run), mine)) === mine) return run;
    }
  }
}

/**
 * A server on half of a ledger would answer with half of it, and what it appended could never be told from what was to come.
 *
 * @throws LedgerStartError `copy_unfinished`
 */
export function refuseUnfinished(store: Pick<LedgerFactStore, 'meta'>): void {
  if (!isUnfinished((key) => store.meta(key))) return;
  throw new LedgerStartError('copy_unfinished', 'This is a copy that is not finished: run `counterfoil copy` again, to its end.');
}

function isUnfinished(facts: Facts): boolean {
  if (facts(COPIED_FROM) === null) return false;
  const last = lastBegun(facts);
  return last === 0 || facts(verifiedKey(last)) === null;
}

function lastBegun(facts: Facts): number {
  let run = 0;
  while (facts(begunKey(run + 1)) !== null) run++;
  return run;
}

const asGetter =
  (facts: ReadonlyMap<string, string>): Facts =>
  (key) =>
    facts.get(key) ?? null;
