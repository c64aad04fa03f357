import { decide } from '@counterfoil/session';
import { historyOf, playHistory } from './history.js';
import { mustBeStored } from './stored.js';
import { World } from './world.js';

const SEED = 20261130;
const HISTORIES = 12;

describe('a random history', () => {
  it(`is stored with chains that verify, and its read models built again from the store are the live ones (${HISTORIES} histories)`, async () => {
    let events = 0;
    for (let n = 0; n < HISTORIES; n++) {
      const world = playHistory(decide, historyOf(SEED, n));
      await mustBeStored(world);
      events += world.models.events.length;
    }
    expect(events).toBeGreaterThan(HISTORIES * 10);
  });

  it('is found out where a read model is another one than the events make it', async () => {
    const world = playHistory(decide, historyOf(SEED, 0));
    // One more event is kept live than is stored: the store's own read models must differ.
    const other = new World(decide);
    other.play(historyOf(SEED, 1));
    expect(() => {
      world.models.mustEqualRebuilt(other.models.events);
    }).toThrow('built again');
  });
});
