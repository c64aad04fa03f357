import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ProjectionEngine } from '@counterfoil/projections';
import { rejectionOf, start, textEvent } from '@counterfoil/testing';
import { openLedger } from '../open-ledger.js';
import { openProjections } from '../open-projections.js';
import { MAIN_SET } from '../projection-set.js';
import { openDocumentStore, openEventStore } from './open-stores.js';
import type { EventsLocation, ReadModelsLocation } from './locations.js';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'counterfoil-bound-'));
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

const at = (name: string): { readonly kind: 'sqlite'; readonly file: string } => ({ kind: 'sqlite', file: join(directory, name) });
const open = (events: EventsLocation, readModels: ReadModelsLocation) =>
  openLedger({ events, readModels, keysDirectory: join(directory, 'keys') }, { createKeys: true });

/** Opens a ledger and closes it again; gives its epoch. */
async function opened(events: EventsLocation, readModels: ReadModelsLocation): Promise<string> {
  const ledger = await open(events, readModels);
  await ledger.close();
  return ledger.store.epoch;
}

describe('read models of one ledger', () => {
  it('are opened by no server and no projector of another, whose answers they would become', async () => {
    const owner = await opened(at('one.db'), at('models.db'));
    await opened(at('two.db'), at('two.db'));
    const refused = { code: 'read_models_of_another_ledger', message: expect.stringContaining(owner) as unknown };
    expect(await rejectionOf(open(at('two.db'), at('models.db')))).toMatchObject(refused);
    expect(await rejectionOf(openProjections({ events: at('two.db'), readModels: at('models.db') }))).toMatchObject(refused);
    await opened(at('one.db'), at('models.db'));
    await (await openProjections({ events: at('one.db'), readModels: at('models.db') })).close();
  });

  it('are its own when two ledgers open them for the first time at the same moment: one does', async () => {
    await opened(at('one.db'), at('one.db'));
    await opened(at('two.db'), at('two.db'));
    const tries = await Promise.allSettled([open(at('one.db'), at('models.db')), open(at('two.db'), at('models.db'))]);
    expect(tries.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    for (const one of tries) if (one.status === 'fulfilled') await one.value.close();
  });

  it('are known by their checkpoints where they were made before they said whose they are', async () => {
    await opened(at('one.db'), at('one.db'));
    const events = await openEventStore(at('one.db'));
    await events.append({ stream: 'session-default/s', expected: 'no_stream', events: [textEvent('one')] });
    const docs = await openDocumentStore(at('models.db'));
    const engine = new ProjectionEngine({ events, docs, set: MAIN_SET });
    const running = start(engine);
    await engine.waitFor(await events.head(), 10_000);
    await running.stop();
    expect(await docs.control('ledger')).toBeNull();
    await docs.close();
    await events.close();
    await opened(at('two.db'), at('two.db'));
    expect(await rejectionOf(open(at('two.db'), at('models.db')))).toMatchObject({ code: 'read_models_of_another_ledger' });
    expect(await opened(at('one.db'), at('models.db'))).toBe(events.epoch);
  });
});

describe('a projector', () => {
  it('makes no ledger under a mistyped address: it says that there is none', async () => {
    const nowhere = { events: at('nowhere.db'), readModels: at('models.db') };
    expect(await rejectionOf(openProjections(nowhere))).toMatchObject({ code: 'ledger_missing' });
    expect(
      await rejectionOf(openLedger({ ...nowhere, keysDirectory: join(directory, 'keys') }, { createKeys: true, create: false })),
    ).toMatchObject({
      code: 'ledger_missing',
    });
  });
});
