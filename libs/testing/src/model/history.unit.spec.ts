import { decide, type DecisionContext, type SessionCommand, type SessionState } from '@counterfoil/session';
import { historyOf, LONGEST, playHistory } from './history.js';
import { smallest } from './smallest.js';
import { ModelFault } from './world.js';
import type { Step } from './steps.js';

const SEED = 20261130;

/** Forgets that a session was closed. */
const forgetful = (state: SessionState, command: SessionCommand, context: DecisionContext) => {
  const { closed } = state;
  state.closed = false;
  try {
    return decide(state, command, context);
  } finally {
    state.closed = closed;
  }
};

function faultOf(decider: typeof decide, from: number): ModelFault {
  for (let n = from; n < from + 200; n++) {
    try {
      playHistory(decider, historyOf(SEED, n));
    } catch (error) {
      if (error instanceof ModelFault) return error;
      throw error;
    }
  }
  throw new Error('no history went wrong');
}

describe('random histories', () => {
  it('are the same for the same seed and number, and others for others', () => {
    expect(historyOf(1, 7)).toEqual(historyOf(1, 7));
    expect(historyOf(1, 7)).not.toEqual(historyOf(1, 8));
    expect(historyOf(1, 7)).not.toEqual(historyOf(2, 7));
  });

  it('have up to so many steps', () => {
    const lengths = Array.from({ length: 400 }, (_, n) => historyOf(SEED, n).length);
    expect(Math.max(...lengths)).toBe(LONGEST);
    expect(Math.min(...lengths)).toBeLessThan(30);
  });

  it('show a decider that forgets something, by a script of a few lines', () => {
    const fault = faultOf(forgetful, 0);
    expect(fault.steps.length).toBeLessThan(8);
    expect(fault.message).toContain('close s');
    expect(fault.message.split('\n').length).toBe(fault.steps.length + 1);
  });
});

describe('taking steps out', () => {
  it('leaves the smallest script that still goes wrong', () => {
    const wait = (seconds: number): Step => ({ do: 'wait', seconds });
    const steps = Array.from({ length: 50 }, (_, n) => wait(n));
    const needed = [wait(3), wait(17), wait(48)];
    const play = (fewer: readonly Step[]): ModelFault | null =>
      needed.every((step) => fewer.some((one) => JSON.stringify(one) === JSON.stringify(step)))
        ? new ModelFault('it', fewer, [], {})
        : null;
    const fault = play(steps);
    expect(fault && smallest(fault, play).steps).toEqual(needed);
  });
});
