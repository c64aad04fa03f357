import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { callOf, openSession, REF, request, send, testLedger, type TestLedger } from '../testing/test-ledger.js';

let test: TestLedger;

beforeEach(async () => {
  test = await testLedger();
});
afterEach(() => test.dispose());

const SECRET = 'FAKE-zq81-plover-KX';

/** Every byte of the ledger's files, keys aside. */
async function bytesOfFiles(): Promise<string> {
  const entries = await readdir(test.directory, { withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ name }) => readFile(join(test.directory, name), 'latin1'));
  return (await Promise.all(files)).join('\n');
}

describe('a secret that a session has redacted once', () => {
  it('is redacted by a process that never saw it in plain, and only has the files', async () => {
    const first = await test.open();
    await send(first, openSession());
    await send(first, request('call_0', { password: SECRET }));
    const second = await test.open();
    const { receiptId } = callOf(await send(second, request('call_1', { text: `say ${SECRET}`, inner: JSON.stringify({ it: SECRET }) })));
    const recorded: string[] = [];
    for await (const event of second.store.readStream('session-default/s1')) recorded.push(JSON.stringify(event.data));
    expect(recorded.at(-1)).toContain(receiptId);
    expect(recorded.at(-1)).toContain('redacted:known');
    expect(await bytesOfFiles()).not.toContain(SECRET);
  });

  it('is no secret of another session', async () => {
    const ledger = await test.open();
    await send(ledger, openSession());
    await send(ledger, request('call_0', { password: SECRET }));
    const ref = { ...REF, sessionId: 's2' };
    await send(ledger, openSession(ref), undefined, ref);
    await send(ledger, request('call_0', { text: SECRET }), undefined, ref);
    // What nothing marks as a secret there is an ordinary word: sessions know nothing of each other.
    expect(await bytesOfFiles()).toContain(SECRET);
  });
});
