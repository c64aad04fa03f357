import { SharedRead } from './shared-read.js';

/** Reads that end when the test says so. */
function reads() {
  const open: { readonly end: () => void; readonly fail: () => void }[] = [];
  const shared = new SharedRead(
    () =>
      new Promise<void>((resolve, reject) => {
        open.push({ end: resolve, fail: () => reject(new Error('of the test')) });
      }),
  );
  return { open, shared };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a read that many ask for', () => {
  it('is made once for all who ask before it began, and once more for all who ask while it runs', async () => {
    const { open, shared } = reads();
    const first = shared.now();
    const later = [shared.now(), shared.now(), shared.now()];
    expect(open).toHaveLength(1);
    open[0]?.end();
    await first;
    await turn();
    expect(open).toHaveLength(2);
    open[1]?.end();
    await Promise.all(later);
    void shared.now();
    expect(open).toHaveLength(3);
  });

  it('that fails is the fault of those who asked for it, not of those who come after', async () => {
    const { open, shared } = reads();
    const first = shared.now();
    const second = shared.now();
    open[0]?.fail();
    await expect(first).rejects.toThrow('of the test');
    await turn();
    open[1]?.end();
    await second;
  });
});
