import { randomBytes } from 'node:crypto';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { callOf, dispatch, openSession, REF, request, send, testLedger, type TestLedger } from '../testing/test-ledger.js';

let test: TestLedger;

beforeEach(async () => {
  test = await testLedger();
});
afterEach(() => test.dispose());

const fileOf = (id: string): string => join(test.directory, 'keys', `fingerprint-${id}.key`);
const addKey = (id: string): Promise<void> => writeFile(fileOf(id), randomBytes(32).toString('base64url'), { mode: 0o600 });

describe('the fingerprint key of a session', () => {
  it('stays the one that it began with when a newer one comes; new sessions take that', async () => {
    const before = await test.open();
    await send(before, openSession());
    const asked = callOf(await send(before, request('call_0', { path: 'a' })));
    expect(asked.operationId).toMatch(/^k1:/);
    await addKey('k2');

    const after = await test.open();
    expect(callOf(await send(after, request('call_1', { path: 'a' }))).operationId).toBe(asked.operationId);
    // The request and its fingerprint are recognised, and what was to run is still the same operation.
    expect((await send(after, request('call_0', { path: 'a' }))).added).toBe(0);
    expect(callOf(await send(after, dispatch(asked))).status).toBe('dispatched');

    const ref = { ...REF, sessionId: 's2' };
    await send(after, openSession(ref), undefined, ref);
    expect(callOf(await send(after, request('call_0', { path: 'a' }), undefined, ref)).operationId).toMatch(/^k2:/);
  });

  it.each([
    ['the older of two', 'k1'],
    ['the newer of two', 'k2'],
  ])('is never retired before its session: without %s the ledger does not start', async (_, id) => {
    await test.open();
    await addKey('k2');
    await test.open();
    await rename(fileOf(id), `${fileOf(id)}.away`);
    await expect(openedIds()).rejects.toMatchObject({ code: 'keys_missing' });
    await rename(`${fileOf(id)}.away`, fileOf(id));
    expect(await openedIds()).toEqual(['k1', 'k2']);
  });

  it('is checked by its content also when it is not the newest', async () => {
    await test.open();
    await addKey('k2');
    await test.open();
    await rename(fileOf('k1'), `${fileOf('k1')}.away`);
    await addKey('k1');
    await expect(openedIds()).rejects.toMatchObject({ code: 'keys_wrong' });
  });

  it('has a number with no gap before it, or a later loss would not be noticed', async () => {
    await test.open();
    await addKey('k3');
    await expect(openedIds()).rejects.toMatchObject({ code: 'keys_missing' });
  });
});

/** Opens the ledger once more; gives the ids of the first key and of the newest. */
async function openedIds(): Promise<string[]> {
  const { keys } = await test.open();
  return [keys.fingerprintKey('k1').id, keys.current.id];
}
