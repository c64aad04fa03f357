import { DomainError } from '@counterfoil/contracts';
import { deciding, type Decider } from './deciding.js';

/** A counter that can be raised once per name, as small as a decider can be. */
type Raised = { readonly type: 'Raised'; readonly data: { readonly name: string; readonly at: number } };
type Folded = Raised & { readonly revision: number };
type Command = { readonly raise: string };
type Context = { readonly now: number };

const counter: Decider<Map<string, number>, Command, Raised, Folded, Context> = {
  initial: () => new Map(),
  decide(state, { raise }, { now }) {
    if (state.has(raise)) return [];
    if (raise === 'never') throw new DomainError('not_found', 'No.');
    return [{ type: 'Raised', data: { name: raise, at: now } }];
  },
  evolve: (state, event) => state.set(event.data.name, event.revision),
  committed: (event, revision) => ({ ...event, revision }),
};

const { given } = deciding(counter, () => ({ now: 1 }));
const raised = (name: string, at = 1): Raised => ({ type: 'Raised', data: { name, at } });

describe('given/when/then for deciders', () => {
  it('compares what is decided, and goes on from there', () => {
    given().when({ raise: 'a' }).then(raised('a')).when({ raise: 'a' }).thenNothing().when({ raise: 'b' }).then(raised('b'));
  });

  it('compares only what is named of the data', () => {
    given(raised('a'))
      .when({ raise: 'b' }, { now: 5 })
      .then({ type: 'Raised', data: { at: 5 } });
  });

  it('knows refusals by their code', () => {
    given().when({ raise: 'never' }).thenRefused('not_found');
  });

  it.each([
    ['another event', () => given().when({ raise: 'a' }).then(raised('b'))],
    ['an event too few', () => given().when({ raise: 'a' }).thenNothing()],
    ['an event too many', () => given(raised('a')).when({ raise: 'a' }).then(raised('a'))],
    ['another refusal', () => given().when({ raise: 'never' }).thenRefused('forbidden')],
    ['no refusal', () => given().when({ raise: 'a' }).thenRefused('not_found')],
  ])('fails on %s', (_, check) => {
    expect(check).toThrow();
  });

  it('fails on a decision that keeps something', () => {
    let calls = 0;
    const keeping = { ...counter, decide: (): Raised[] => [raised(`call ${++calls}`)] };
    expect(() =>
      deciding(keeping, () => ({ now: 1 }))
        .given()
        .when({ raise: 'a' })
        .then({}),
    ).toThrow();
  });
});
