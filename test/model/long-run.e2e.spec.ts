import { decide } from '@counterfoil/session';
import { longRun, type LongRun } from './long-run.js';

const SEED = 20261130;

function run(change: Partial<LongRun> = {}) {
  const lines: string[] = [];
  const say = (line: string): void => {
    lines.push(line);
  };
  const { signal } = new AbortController();
  return { lines, report: longRun({ decider: decide, seed: SEED, skip: 0, histories: 4, faults: 5, signal, say, everyMs: 0, ...change }) };
}

/** Lets a call be cancelled without a trace. */
const lossy: typeof decide = (state, command, context) => (command.type === 'CancelToolCall' ? [] : decide(state, command, context));

describe('a long run of the model', () => {
  it('says its seed, how far it is, how fast, and how long it will take', async () => {
    const { lines, report } = run();
    const { histories, faults, commands } = await report;
    expect({ histories, faults }).toEqual({ histories: 4, faults: 0 });
    expect(commands).toBeGreaterThan(40);
    expect(lines[0]).toBe(`model: seed ${SEED}, histories 0 to 3`);
    expect(lines[1]).toMatch(
      /^model: 1 of 4 histories, \d+ commands, \d+ events, [\d.]+ histories per second, \d+ min \d+ s left, 0 faults$/,
    );
  });

  it('plays the same histories again from any of them on', async () => {
    const all = await run().report;
    const parts = [await run({ histories: 1 }).report, await run({ skip: 1, histories: 3 }).report];
    expect(parts.reduce((sum, { events }) => sum + events, 0)).toBe(all.events);
  });

  it('stops when it is told to, and says how to go on', async () => {
    const stop = new AbortController();
    const { lines, report } = run({ histories: 1000, signal: stop.signal });
    stop.abort();
    const { histories } = await report;
    expect(histories).toBeLessThan(1000);
    expect(lines.at(-1)).toBe(`model: go on with --seed ${SEED} --skip ${histories}`);
  });

  it('shows what goes wrong as a script of a few lines', async () => {
    const { lines, report } = run({ decider: lossy, faults: 1, histories: 100 });
    expect((await report).faults).toBe(1);
    const [fault = ''] = lines.filter((line) => line.startsWith('FAULT'));
    expect(fault).toMatch(/^FAULT in history \d+ of seed 20261130: the reference says \w+, the decider same\n/);
    expect(fault.split('\n').length).toBeLessThan(7);
    expect(fault).toContain('cancel s');
  });
});
