import { setImmediate as nextTurn } from 'node:timers/promises';
import { historyOf, ModelFault, mustBeStored, playHistory, TO_BE_MET } from '@counterfoil/testing';
import type { decide } from '@counterfoil/session';

export interface LongRun {
  readonly decider: typeof decide;
  readonly seed: number;
  /** Number of the first history, and how many there are from there on. */
  readonly skip: number;
  readonly histories: number;
  /** Ends the run after so many faults. */
  readonly faults: number;
  readonly signal: AbortSignal;
  readonly say: (line: string) => void;
  /** How often it is said how far the run is. */
  readonly everyMs: number;
}

export interface LongRunReport {
  readonly histories: number;
  readonly commands: number;
  readonly events: number;
  readonly faults: number;
  /** What no history of this run has met. */
  readonly unmet: readonly string[];
}

/** One history of so many is also stored and read back: that takes as long as some dozens of others. */
const STORED = 100;

/**
 * Plays random histories against the reference, and says how far it is. What goes wrong is said as a script of as few lines as still show
 * it. Stops at once when the signal says so; the same seed and `skip` go on from there.
 */
export async function longRun(run: LongRun): Promise<LongRunReport> {
  const { seed, skip, histories, say, signal } = run;
  const met = new Set<string>();
  const count = { histories: 0, commands: 0, events: 0, faults: 0 };
  const started = performance.now();
  let said = started;
  say(`model: seed ${seed}, histories ${skip} to ${skip + histories - 1}`);
  while (count.histories < histories && count.faults < run.faults && !signal.aborted) {
    const n = skip + count.histories;
    try {
      const world = playHistory(run.decider, historyOf(seed, n));
      if (n % STORED === 0) await mustBeStored(world);
      for (const what of world.met) met.add(what);
      count.commands += world.commands;
      count.events += world.models.events.length;
    } catch (error) {
      count.faults++;
      const what = error instanceof ModelFault ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error);
      say(`FAULT in history ${n} of seed ${seed}: ${what}`);
    }
    count.histories++;
    // So that a signal is heard.
    await nextTurn();
    if (performance.now() - said < run.everyMs) continue;
    said = performance.now();
    say(progress(count, histories, said - started));
  }
  say(progress(count, histories, performance.now() - started));
  if (count.histories < histories) say(`model: go on with --seed ${seed} --skip ${skip + count.histories}`);
  return { ...count, unmet: TO_BE_MET.filter((what) => !met.has(what)) };
}

function progress(count: Omit<LongRunReport, 'unmet'>, histories: number, ms: number): string {
  const rate = count.histories / (ms / 1000);
  const left = Math.round((histories - count.histories) / rate);
  const parts = [
    `${count.histories} of ${histories} histories`,
    `${count.commands} commands, ${count.events} events`,
    `${rate.toFixed(1)} histories per second`,
    `${Math.floor(left / 60)} min ${left % 60} s left`,
    `${count.faults} faults`,
  ];
  return `model: ${parts.join(', ')}`;
}
