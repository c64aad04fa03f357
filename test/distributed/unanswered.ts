import type { SeenAppend } from '@counterfoil/testing';

/** Appends whose sender never got the answer, by what the server had made of them when it was asked again. */
export interface UnansweredAppends {
  readonly appends: number;
  /** Met another revision: somebody else had written, as a rule the other server. */
  readonly conflicts: number;
  /** Had been written, and was answered as a repeated one. */
  readonly written: number;
  /** Had not been written by then; each was stored by a later try, or landed by itself. */
  readonly notWritten: number;
  /** Of those: how many landed by themselves, beside their later try. */
  readonly landedLate: number;
  /** Of those that were lost: how many can't be told, since they were never asked for again. */
  readonly neverAskedAgain: number;
}

/**
 * Reads the record of a test server. A sender that has its answer doesn't ask again: whatever comes again under the same ids had none.
 * @param appends of all nodes, those of a sender in the order in which they came
 */
export function countUnanswered(appends: readonly Pick<SeenAppend, 'stream' | 'ids' | 'outcome' | 'fault'>[]): UnansweredAppends {
  const tries = new Map<string, typeof appends>();
  for (const append of appends) {
    const key = `${append.stream} ${append.ids.join()}`;
    tries.set(key, [...(tries.get(key) ?? []), append]);
  }
  let [written, notWritten, landedLate, neverAskedAgain] = [0, 0, 0, 0];
  for (const all of tries.values()) {
    const isDropped = ({ fault }: (typeof appends)[number]): boolean => fault?.startsWith('drop') === true;
    for (const one of all.slice(0, -1)) {
      // What was to land late had not been written when its sender asked again, or was about to be.
      if (isDropped(one) && one.fault !== 'drop_after') {
        notWritten++;
        if (one.outcome !== null) landedLate++;
      } else if (one.outcome === 'stored' || one.outcome === 'repeated') written++;
      else notWritten++;
    }
    const last = all.at(-1);
    if (last !== undefined && isDropped(last)) neverAskedAgain++;
  }
  const conflicts = appends.filter(({ outcome }) => outcome === 'wrong_version').length;
  return { appends: tries.size, conflicts, written, notWritten, landedLate, neverAskedAgain };
}
