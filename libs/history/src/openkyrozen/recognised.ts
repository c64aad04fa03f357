import type { Recognised, Recognition } from '../recognition.js';

/**
 * @param entries how many records stand inside of it
 * @param each gives them, one at a time; asked again each time they are gone through
 */
export function recognised(whole: Recognised, entries = 0, each: () => Iterable<Recognised> = () => []): Recognition {
  return {
    count: 1 + entries,
    *[Symbol.iterator]() {
      yield whole;
      yield* each();
    },
  };
}
