import { Reachability } from './reachability.js';

const HEALTH = { ready: true, facts: { projections: { state: 'elsewhere' } } };
const never = (): Promise<never> => new Promise(() => undefined);
const away = (): Promise<never> => Promise.reject(new Error('FAKE-address is away'));

interface Answers {
  readonly health?: () => Promise<typeof HEALTH>;
  readonly head?: () => Promise<bigint>;
  readonly control?: () => Promise<null>;
}

/** A ledger of which only what is asked is there; counts the questions. */
function ledgerOf({
  health = () => Promise.resolve(HEALTH),
  head = () => Promise.resolve(0n),
  control = () => Promise.resolve(null),
}: Answers): { readonly asked: Readonly<Record<keyof Answers, number>>; readonly reachability: Reachability } {
  const asked = { health: 0, head: 0, control: 0 };
  const counted =
    <T>(name: keyof typeof asked, ask: () => Promise<T>) =>
    (): Promise<T> => {
      asked[name]++;
      return ask();
    };
  const ledger = {
    health: counted('health', health),
    store: { head: counted('head', head) },
    docs: { control: counted('control', control) },
  };
  return { asked, reachability: new Reachability(ledger) };
}

describe('a ledger that is asked how it is', () => {
  it('says which of its stores answers, and what it knows of itself', async () => {
    expect(await ledgerOf({}).reachability.look()).toEqual({ health: HEALTH, unreachable: [] });
  });

  it.each([
    ['event_store', { head: away, health: away }],
    ['read_models', { control: away, health: away }],
  ])('names a store that refuses: %s', async (part, ledger) => {
    expect(await ledgerOf(ledger).reachability.look()).toEqual({ health: null, unreachable: [part] });
  });

  it.each([
    ['event_store', { head: never, health: never }],
    ['read_models', { control: never, health: never }],
  ])('names a store that hangs, within seconds, and asks it once however many want to know: %s', async (part, ledger) => {
    const { asked, reachability } = ledgerOf(ledger);
    const begunAt = performance.now();
    const looks = await Promise.all(Array.from({ length: 50 }, () => reachability.look()));
    expect(performance.now() - begunAt).toBeLessThan(10_000);
    expect(looks).toEqual(looks.map(() => ({ health: null, unreachable: [part] })));
    expect(await reachability.look()).toEqual({ health: null, unreachable: [part] });
    expect(asked.health).toBe(1);
    expect(part === 'event_store' ? asked.head : asked.control).toBe(1);
  });
});
