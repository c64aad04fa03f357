import type { DocumentStore } from '@counterfoil/read-models';
import { MemoryEventStore, projectionFixture, TallyFeed, tallySet, type ProjectionFixture } from '@counterfoil/testing';
import { Checkpoint } from './checkpoint.js';
import { readPointer, switchPointer } from './generations.js';
import { openReadModels } from './read-models.js';

const set = tallySet();

describe('read models', () => {
  let fixture: ProjectionFixture;
  let docs: DocumentStore;
  let now: number;
  const events = new MemoryEventStore({ epoch: 'e1' });

  beforeAll(async () => {
    await new TallyFeed(events).fill(100, 2);
  });
  beforeEach(async () => {
    fixture = await projectionFixture();
    docs = await fixture.docs();
    now = 0;
  });
  afterEach(() => fixture.dispose());

  const opened = () => openReadModels(docs, set, { clock: () => now, pollMs: 2 });
  const checkpoint = (generation: number) => Checkpoint.take(docs, events, set, generation, { by: 'live', epoch: 1 });
  const switchTo = async (generation: number) => switchPointer(docs, set, await readPointer(docs, set), generation, 0);

  it('of a set that nobody has projected yet are its first generation, at nothing', async () => {
    const readModels = opened();
    expect(await readModels.generation()).toBe(1);
    expect(await readModels.position()).toBe(0n);
    expect(await (await readModels.collection('streams')).get('x')).toBeNull();
    await expect(readModels.collection('nowhere')).rejects.toThrow('no projection nowhere');
  });

  it('read the pointer again after a second, or when told', async () => {
    const readModels = opened();
    await readModels.generation();
    await switchTo(2);
    now = 999;
    expect(await readModels.generation()).toBe(1);
    now = 1000;
    expect(await readModels.generation()).toBe(2);
    await switchTo(3);
    readModels.refresh();
    expect(await readModels.generation()).toBe(3);
    expect((await readModels.collection('streams')).spec.name).toBe('tally_v1_g3_streams');
  });

  it('give the position that an answer surely contains', async () => {
    const readModels = opened();
    const live = await checkpoint(1);
    await live.advance(7n, null);
    expect(await readModels.position()).toBe(7n);
  });

  it('are waited for until another process has brought them there', async () => {
    const readModels = opened();
    const waiting = readModels.waitFor(7n, 1000);
    const live = await checkpoint(1);
    await live.advance(6n, null);
    await live.advance(7n, null);
    await waiting;
    await readModels.waitFor(7n, 0);
  });

  it('say how far they are when a wait is too long', async () => {
    const readModels = opened();
    await (await checkpoint(1)).advance(5n, null);
    await expect(readModels.waitFor(6n, 0)).rejects.toMatchObject({ code: 'projection_lagging', wanted: 6n, reached: 5n });
    const waiting = readModels.waitFor(6n, 50);
    now = 50;
    await expect(waiting).rejects.toMatchObject({ code: 'projection_lagging' });
  });

  it('end a wait when its caller has gone', async () => {
    const gone = new AbortController();
    const waiting = opened().waitFor(6n, 60_000, gone.signal);
    gone.abort(new Error('the caller has gone'));
    await expect(waiting).rejects.toThrow('the caller has gone');
  });

  it('wake at once when an engine of this process tells', async () => {
    const readModels = openReadModels(docs, set, { clock: () => now, pollMs: 1_000_000 });
    await readModels.generation();
    const waiting = readModels.waitFor(6n, 1_000_000);
    setTimeout(() => readModels.told(1, { position: 6n, epoch: 'e1' }), 5);
    await waiting;
  });

  it('stay with the old generation until the new one has what was promised', async () => {
    const readModels = opened();
    await (await checkpoint(1)).advance(9n, null);
    expect(await readModels.position()).toBe(9n);
    const next = await checkpoint(2);
    await next.advance(8n, null);
    await switchTo(2);
    readModels.refresh();
    expect(await readModels.generation()).toBe(1);
    await next.advance(9n, null);
    now += 50;
    expect(await readModels.generation()).toBe(2);
    expect(await readModels.position()).toBe(9n);
  });

  it('leave it all the same when nobody brings the new one there', async () => {
    const readModels = opened();
    await (await checkpoint(1)).advance(9n, null);
    await readModels.position();
    await checkpoint(2);
    await switchTo(2);
    readModels.refresh();
    expect(await readModels.generation()).toBe(1);
    now += 10_000;
    expect(await readModels.generation()).toBe(2);
  });
});
