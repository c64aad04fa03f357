import { watchForStall } from './stall-watch.js';

/** Counts rounds by the looks at the head, and says after how many a stall was seen; null for none in twenty. */
async function stalledAfter(
  headAt: (round: number) => bigint | Error,
  positionAt: (round: number) => bigint | null,
): Promise<number | null> {
  let round = 0;
  let stop = (): void => undefined;
  try {
    return await new Promise((resolve) => {
      const head = (): Promise<bigint> => {
        if (++round > 20) resolve(null);
        const answer = headAt(round);
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
      };
      stop = watchForStall({ head, position: () => positionAt(round) }, 1, () => {
        resolve(round);
      });
      // The watch itself keeps no process alive.
      setTimeout(() => undefined, 1000);
    });
  } finally {
    stop();
  }
}

it.each([
  ['it stands still behind the head', () => 5n, () => 4n, 2],
  ['it is at the head', () => 4n, () => 4n, null],
  ['it moves on, though the head is always ahead', (round: number) => BigInt(round + 10), (round: number) => BigInt(round), null],
  ['nothing is followed yet', () => 5n, () => null, null],
  ['the head cannot be read', () => new Error('away'), () => 4n, null],
])('%s', async (_what, headAt, positionAt, expected) => {
  expect(await stalledAfter(headAt, positionAt)).toBe(expected);
});
