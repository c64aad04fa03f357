import { oneCall, openSession, withBenchLedger } from './scene.js';

const WINDOW = 300;

/** The cost of a call late in a long session against an early one: median of a window around call 500 and before the last. */
export async function benchGrowth(say: (line: string) => void, calls: number): Promise<void> {
  await withBenchLedger(async (ledger) => {
    await openSession(ledger, 'long');
    const early: number[] = [];
    const late: number[] = [];
    for (let n = 0; n < calls; n++) {
      const started = performance.now();
      await oneCall(ledger, 'long', n);
      const took = performance.now() - started;
      if (n >= 500 && n < 500 + WINDOW) early.push(took);
      if (n >= calls - WINDOW) late.push(took);
      if (n % 10_000 === 9_999) say(`growth: ${String(n + 1)} of ${String(calls)} calls`);
    }
    const [first, last] = [median(early), median(late)];
    say(
      `growth: a call around the 500th ${first.toFixed(2)} ms, around the ${String(calls)}th ${last.toFixed(2)} ms; ratio ${(last / first).toFixed(2)}`,
    );
  });
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
