import { codeOf } from './code-of.js';

/** A pure decider: how to begin, decide and fold. `C` command, `E` decided event, `F` the event as it is folded, `X` context. */
export interface Decider<S, C, E, F, X> {
  initial(): S;
  decide(state: S, command: C, context: X): readonly E[];
  evolve(state: S, event: F): S;
  /** What folding reads beside a decided event, for example its revision (0 is the first). */
  committed(event: E, revision: number): F;
}

export interface Given<C, E, X> {
  /** The events so far. */
  readonly events: readonly E[];
  /** @param change of the context, for this command alone */
  when(command: C, change?: Partial<X>): When<C, E, X>;
}

export interface When<C, E, X> {
  /**
   * The command leads to exactly these events, in this order; of their data only what is named is compared. Answers the longer
   * history, so that the next command can follow.
   */
  then(...expected: readonly object[]): Given<C, E, X>;
  /** The command was said before, or changes nothing. */
  thenNothing(): Given<C, E, X>;
  /** The command is refused with this code, and nothing is recorded. */
  thenRefused(code: string): Given<C, E, X>;
}

/**
 * given/when/then for a decider, with no mocks. Each decision is made twice, on two states folded from the same events: a decision that
 * keeps or reads anything but its arguments shows. What was decided must fold.
 *
 * @param context made anew for each decision, so that one that counts ids begins again
 */
export function deciding<S, C, E, F, X extends object>(decider: Decider<S, C, E, F, X>, context: () => X) {
  const fold = (events: readonly E[]): S =>
    events.reduce((state, event, revision) => decider.evolve(state, decider.committed(event, revision)), decider.initial());

  const given = (...events: readonly E[]): Given<C, E, X> => ({
    events,
    when(command, change = {}) {
      const decide = (): readonly E[] => decider.decide(fold(events), command, { ...context(), ...change });
      const then = (...expected: readonly object[]): Given<C, E, X> => {
        const decided = decide();
        expect(decided).toMatchObject([...expected]);
        expect(decide()).toEqual(decided);
        fold([...events, ...decided]);
        return given(...events, ...decided);
      };
      return {
        then,
        thenNothing: () => then(),
        thenRefused(code) {
          expect(codeOf(decide)).toBe(code);
          return given(...events);
        },
      };
    },
  });
  return { given };
}
