import { DomainError } from '@counterfoil/contracts';
import { Observers } from './observers.js';
import { observed } from './sessions/observed.js';

/** An observer, and what it was told. */
function observing(): { told: unknown[]; appended: (types: readonly string[]) => void; decided: (command: string, code: string) => void } {
  const told: unknown[] = [];
  return { told, appended: (types) => told.push(types), decided: (command, code) => told.push([command, code]) };
}

it('tells everybody, until they end it', () => {
  const observers = new Observers();
  const [one, two] = [observing(), observing()];
  const end = observers.add(one);
  observers.add(two);
  observers.appended(['A', 'B']);
  end();
  observers.decided('Do', 'accepted');
  expect(one.told).toEqual([['A', 'B']]);
  expect(two.told).toEqual([
    ['A', 'B'],
    ['Do', 'accepted'],
  ]);
});

it('an observer that throws stops neither the others nor what it was told of', () => {
  const faults: unknown[] = [];
  const observers = new Observers((error) => faults.push(error));
  const broken = (): never => {
    throw new Error('broken');
  };
  observers.add({ appended: broken, decided: broken });
  const one = observing();
  observers.add(one);
  observers.decided('Do', 'same');
  observers.appended(['A']);
  expect(one.told).toEqual([['Do', 'same'], ['A']]);
  expect(faults).toHaveLength(2);
});

it.each([
  ['what added events', Promise.resolve({ added: 2 }), 'accepted'],
  ['what added none', Promise.resolve({ added: 0 }), 'same'],
  ['a refusal', Promise.reject(new DomainError('session_closed', 'no')), 'session_closed'],
  ['a fault', Promise.reject(new Error('oops')), 'internal'],
])('%s is told of, and answered as it was', async (_what, answer, code) => {
  const one = observing();
  const [given, plain] = await Promise.allSettled([observed(one, 'Do', answer), answer]);
  expect(given).toEqual(plain);
  expect(one.told).toEqual([['Do', code]]);
});
