import { SharedLook } from './shared-look.js';

/** A read whose answers are given by hand. */
class Reads {
  readonly begun: { resolve: (value: string) => void; reject: (error: Error) => void }[] = [];
  readonly read = (): Promise<string> =>
    new Promise((resolve, reject) => {
      this.begun.push({ resolve, reject });
    });
}

const turns = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a look at something that may hang', () => {
  it('is one for all who ask meanwhile, and the next who asks afterwards looks anew', async () => {
    const reads = new Reads();
    const look = new SharedLook(reads.read, { limitMs: 60_000 });
    const asked = [look.get(), look.get(), look.get()];
    await turns();
    expect(reads.begun).toHaveLength(1);
    reads.begun[0]?.resolve('well');
    expect(await Promise.all(asked)).toEqual(['well', 'well', 'well']);
    void look.get();
    await turns();
    expect(reads.begun).toHaveLength(2);
    reads.begun[1]?.resolve('');
  });

  it('is answered in time without it, and does not pile up: the one that hangs is not begun again', async () => {
    const reads = new Reads();
    const look = new SharedLook(reads.read, { limitMs: 30 });
    expect(await look.get()).toBeNull();
    // Who asks later waits for what is left of the time, and here nothing is.
    for (let n = 0; n < 20; n++) expect(await look.get()).toBeNull();
    expect(reads.begun).toHaveLength(1);
    reads.begun[0]?.resolve('back');
    await turns();
    const again = look.get();
    await turns();
    reads.begun[1]?.resolve('well');
    expect(await again).toBe('well');
  });

  it('that fails is null, and the failure is nobody else’s', async () => {
    const failing = new SharedLook(() => Promise.reject(new Error('FAKE-detail')), { limitMs: 1000 });
    expect(await failing.get()).toBeNull();
    const throwing = new SharedLook(
      (): Promise<string> => {
        throw new Error('at once');
      },
      { limitMs: 1000 },
    );
    expect(await throwing.get()).toBeNull();
  });

  it('answers from the last for as long as that is fresh, also when it failed', async () => {
    let now = 0;
    let looks = 0;
    const read = (): Promise<number> => (++looks === 1 ? Promise.reject(new Error('away')) : Promise.resolve(looks));
    const look = new SharedLook(read, { limitMs: 1000, freshMs: 100, clock: () => now });
    expect(await look.get()).toBeNull();
    now = 99;
    expect(await look.get()).toBeNull();
    now = 100;
    expect(await look.get()).toBe(2);
    now = 199;
    expect([await look.get(), looks]).toEqual([2, 2]);
  });
});
