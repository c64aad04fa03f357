import { decidePurely, historyOf, LONGEST, MAY_BE_MET, playHistory, TO_BE_MET } from '@counterfoil/testing';
import { decide } from './decide.js';

const USUAL_RUNS = 500;
/** Raise it with COUNTERFOIL_MODEL_RUNS; `npm run model` is for long runs, and says how far it is. */
const RUNS = Number(process.env['COUNTERFOIL_MODEL_RUNS'] ?? USUAL_RUNS);
/** Each decision of so many scripts is also shown to be pure: that costs more than all the rest. */
const PURE_RUNS = 40;
/** The same as of all properties: a fixed one, unless one wants to explore. */
const WANTED = process.env['COUNTERFOIL_PROPERTY_SEED'] ?? '20261130';
const SEED = WANTED === 'random' ? Date.now() % 2 ** 31 : Number(WANTED);

describe('any script of commands', () => {
  it(`does to a session what it does to the reference (${RUNS} scripts)`, () => {
    const met = new Set<string>();
    let longest = 0;
    for (let n = 0; n < RUNS; n++) {
      const history = historyOf(SEED, n);
      longest = Math.max(longest, history.length);
      for (const what of playHistory(decide, history).met) met.add(what);
    }
    expect([...met].filter((what) => !TO_BE_MET.includes(what) && !MAY_BE_MET.includes(what))).toEqual([]);
    // Fewer scripts than usual may well miss the rarest answers.
    if (RUNS < USUAL_RUNS) return;
    expect(TO_BE_MET.filter((what) => !met.has(what))).toEqual([]);
    expect(longest).toBe(LONGEST);
  }, 3_600_000);

  it(`changes nothing by deciding (${PURE_RUNS} scripts)`, () => {
    for (let n = 0; n < PURE_RUNS; n++) expect(playHistory(decidePurely, historyOf(SEED, n)).commands).toBeGreaterThan(0);
  }, 3_600_000);
});
