import type { DocumentStore } from '@counterfoil/read-models';
import { CrashingStore, eventually, projectionFixture, type ProjectionFixture } from '@counterfoil/testing';
import { takeLease, type Lease } from './lease.js';

const KEY = 'lease/test/v1';

describe('a lease', () => {
  let fixture: ProjectionFixture;
  let docs: DocumentStore;
  let now = 0;
  const forever = new AbortController().signal;

  beforeEach(async () => {
    fixture = await projectionFixture();
    docs = await fixture.docs();
    now = 1000;
  });
  afterEach(() => fixture.dispose());

  const take = (owner: string, options: { rival?: 'wait' | 'refuse'; signal?: AbortSignal; store?: DocumentStore } = {}) =>
    takeLease(
      { docs: options.store ?? docs, key: KEY, owner, leaseMs: 20, clock: () => now },
      options.signal ?? forever,
      options.rival ?? 'wait',
    );
  const taken = async (owner: string): Promise<Lease> => {
    const lease = await take(owner);
    if (lease === null) throw new Error('not taken');
    return lease;
  };
  const ownerNow = async () => (await docs.control(KEY))?.value;

  it('is taken by one of many that ask at once', async () => {
    const end = new AbortController();
    const asked = ['a', 'b', 'c'].map((owner) => take(owner, { signal: end.signal }));
    await eventually(async () => (await docs.control(KEY)) !== null);
    end.abort();
    expect((await Promise.all(asked)).filter((lease) => lease !== null)).toHaveLength(1);
  });

  it('is not taken over while its beats are seen, however late the clock', async () => {
    const lease = await taken('a');
    const end = new AbortController();
    const asked = take('b', { signal: end.signal });
    for (let beat = 0; beat < 10; beat++) {
      now += 15;
      await lease.renew();
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    end.abort();
    expect(await asked).toBeNull();
    expect(await ownerNow()).toMatchObject({ owner: 'a', epoch: 1 });
  });

  it('is taken over when it was seen unchanged for its whole duration, and the old owner hears of it', async () => {
    const old = await taken('a');
    const asked = take('b');
    const ticking = setInterval(() => (now += 5), 5);
    const lease = await asked;
    clearInterval(ticking);
    expect(lease?.epoch).toBe(2);
    await expect(old.ensureHeld()).rejects.toMatchObject({ code: 'lease_lost' });
    expect(old.lost.aborted).toBe(true);
    await old.release();
    expect(await ownerNow()).toMatchObject({ owner: 'b', epoch: 2 });
  });

  it('is held on when its owner was only late and nobody came', async () => {
    const lease = await taken('a');
    now += 60_000;
    await lease.ensureHeld();
    expect(await ownerNow()).toMatchObject({ owner: 'a', epoch: 1, beat: 1 });
  });

  it('is free as soon as it is given back', async () => {
    await (await taken('a')).release();
    expect((await taken('b')).epoch).toBe(2);
  });

  it('is taken again at once by its own owner', async () => {
    await taken('a');
    expect((await taken('a')).epoch).toBe(2);
  });

  it('is refused, not waited for, when asked so and its owner lives', async () => {
    const lease = await taken('a');
    const asked = take('b', { rival: 'refuse' });
    const beating = setInterval(() => void lease.renew(), 2);
    await expect(asked).rejects.toMatchObject({ code: 'rebuild_in_progress' });
    clearInterval(beating);
    await lease.renew();
  });

  it('outlives beats that fail and beats whose answer is lost', async () => {
    const flaky = new FlakyStore(docs);
    const lease = await take('a', { store: flaky });
    flaky.mode = 'before';
    await expect(lease?.renew()).rejects.toMatchObject({ code: 'crashed' });
    flaky.mode = 'after';
    await expect(lease?.renew()).rejects.toMatchObject({ code: 'crashed' });
    flaky.mode = null;
    await lease?.renew();
    await lease?.ensureHeld();
    expect(lease?.lost.aborted).toBe(false);
  });
});

/** Fails every write, before or after it took effect, for as long as it is told to. */
class FlakyStore extends CrashingStore {
  mode: 'before' | 'after' | null = null;

  override async compareAndSet(...[key, expected, value]: Parameters<DocumentStore['compareAndSet']>): Promise<boolean> {
    const fail = (): never => {
      throw Object.assign(new Error('flaky'), { code: 'crashed' });
    };
    if (this.mode === 'before') fail();
    const done = await super.compareAndSet(key, expected, value);
    return this.mode === 'after' ? fail() : done;
  }
}
