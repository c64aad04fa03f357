import type { decide } from '@counterfoil/session';
import { Dice } from './dice.js';
import { FRAGMENT_WEIGHTS, FRAGMENTS, fragmentOf, type FragmentName } from './fragments.js';
import { ANY, WEIGHTS } from './random-steps.js';
import { smallest } from './smallest.js';
import type { Step } from './steps.js';
import { ModelFault, World } from './world.js';

/** The longest history has so many steps. */
export const LONGEST = 200;

const CHOICES = { ...WEIGHTS, ...FRAGMENT_WEIGHTS };
const isFragment = (name: Step['do'] | FragmentName): name is FragmentName => Object.hasOwn(FRAGMENTS, name);

/** How a history begins: mostly with both sessions opened, tools registered and a plan. */
function beginning(dice: Dice): Step[] {
  const opened: Step[] = [
    { do: 'open', session: 0, user: 0, agent: true },
    { do: 'open', session: 1, user: 1, agent: true },
  ];
  const registered = [0, 1, 2, 3].filter(() => dice.chance(0.7)).map((tool): Step => ({ do: 'register', tool, spec: dice.mostly(0, 1) }));
  const planned = dice.chance(0.8) ? FRAGMENTS.begin(dice, 0) : [];
  return [...dice.mostly(opened, opened.slice(0, 1), []), ...registered, ...planned];
}

/** The n-th history of a seed: the same on every machine, and each for itself. */
export function historyOf(seed: number, n: number): readonly Step[] {
  const dice = new Dice(Math.imul(seed, 0x01000193) + n);
  const length = 10 + dice.below(LONGEST - 9);
  const steps = beginning(dice);
  while (steps.length < length) {
    const name = dice.weighted(CHOICES);
    if (isFragment(name)) steps.push(...fragmentOf(dice, name));
    else steps.push(ANY[name](dice));
  }
  return steps.slice(0, length);
}

/**
 * Plays a history.
 *
 * @throws ModelFault where something is wrong: of the smallest script that still shows a fault
 */
export function playHistory(decider: typeof decide, steps: readonly Step[]): World {
  const fault = faultOf(decider, steps);
  if (fault instanceof World) return fault;
  throw smallest(fault, (fewer) => {
    const other = faultOf(decider, fewer);
    return other instanceof World ? null : other;
  });
}

function faultOf(decider: typeof decide, steps: readonly Step[]): World | ModelFault {
  const world = new World(decider);
  try {
    world.play(steps);
    return world;
  } catch (error) {
    if (error instanceof ModelFault) return error;
    throw error;
  }
}
