import { once } from 'node:events';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { Http } from './demo/agent.js';
import { Importing, type ImportAnswer } from './support/importing.js';
import { oldRow, oldRows } from './support/old-rows.js';
import { HandUpload } from './support/upload.js';

let scene: Importing;

beforeAll(async () => {
  scene = await Importing.start(64 * 1024);
});

afterAll(() => scene.running.stop());

describe('what is no import', () => {
  it.each([
    ['an upload of another type', '{}', { 'content-type': 'text/html' }, 415, 'unsupported_media_type'],
    ['an upload in another compression', '{}', { 'content-encoding': 'br' }, 415, 'unsupported_media_type'],
    ['what is neither text nor a database', Buffer.from('PK\u0003\u0004 and more'), {}, 400, 'import_unreadable'],
    ['gzip that is damaged at once', Buffer.from([0x1f, 0x8b, 8, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]), {}, 400, 'import_unreadable'],
  ] as const)('%s is refused, and nothing is recorded', async (_what, body, headers, status, code) => {
    const head = await scene.running.events();
    const answer = await scene.post(body, '', headers);
    expect([answer.status, answer.body]).toMatchObject([status, { code }]);
    expect(await scene.running.events()).toBe(head);
  });

  it.each([
    ['?run=no%20name', 'invalid_request'],
    [`?run=${'x'.repeat(129)}`, 'invalid_request'],
    ['?run=', 'invalid_request'],
    ['?run=a&run=b', 'invalid_request'],
    ['?dryRun=yes', 'invalid_request'],
    ['?format=xml', 'invalid_request'],
    ['?user=a/b', 'invalid_request'],
    ['?workspace=other', 'invalid_request'],
    ['?run=sk-proj-FAKE0123456789abcdefghijklmnopqrstuvwxyzAB', 'identifier_is_secret'],
  ])('%s is refused: %s', async (query, code) => {
    const head = await scene.running.events();
    const n = scene.fresh(1);
    const answer = await scene.post(oldRow(n), query);
    expect([answer.status, answer.body]).toMatchObject([422, { code }]);
    expect(await scene.running.events()).toBe(head);
  });

  it('a body that is still coming when it is refused does not keep the client from reading why', async () => {
    const upload = new HandUpload(scene.running.url, scene.key, '/v1/imports?run=no%20name');
    const line = oldRows(0, 100);
    const pump = (async () => {
      for (let n = 0; n < 200; n++) await upload.send(line);
    })();
    const answer = await upload.answer;
    expect(answer).toMatchObject({ status: 422, connection: 'close', body: { code: 'invalid_request' } });
    upload.leave();
    await pump;
  });

  it('gzip that is damaged after some records tells what was stored before, and is no problem', async () => {
    const n = scene.fresh(1200);
    const whole = gzipSync(Array.from({ length: 1200 }, (_, k) => `${oldRow(n + k, {}, { result: Math.random().toString() })}\n`).join(''));
    const answer = await scene.post(whole.subarray(0, whole.length / 2), '?run=cut-gzip');
    const { state, error, totals, eventsAdded, position } = answer.body as unknown as ImportAnswer;
    expect([answer.status, state, error?.code]).toEqual([201, 'failed', 'import_unreadable']);
    expect(eventsAdded).toBe(totals.imported);
    expect(totals.imported).toBeGreaterThan(100);
    expect(await scene.view('cut-gzip')).toMatchObject({ state: 'failed', error: { code: 'import_unreadable' }, totals });
    const atLeast = { 'counterfoil-min-position': position };
    const { items } = await scene.importer.call<{ items: ImportAnswer[] }>('GET', '/v1/imports', undefined, atLeast);
    expect(items[0]).toMatchObject({ importRun: 'cut-gzip', state: 'failed', error: { code: 'import_unreadable' }, totals });
    expect(await scene.imported(whole)).toMatchObject({ totals: { duplicate: totals.imported, imported: 1200 - totals.imported } });
  });
});

describe('who may import', () => {
  const headOf = (key: string): string =>
    `POST /v1/imports HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: application/x-ndjson\r\ncontent-length: 100000000\r\n\r\n`;

  it.each([
    ['another role', () => scene.keyOf('person:other', ['auditor', 'approver', 'admin']), 403],
    ['no key', () => Promise.resolve('none'), 401],
  ] as const)('%s: refused before any of the body has come', async (_who, key, status) => {
    const client = connect(Number(new URL(scene.running.url).port), '127.0.0.1');
    await once(client, 'connect');
    client.write(headOf(await key()));
    let text = '';
    client.on('data', (data: Buffer) => (text += data.toString()));
    await once(client, 'end');
    expect(text).toMatch(new RegExp(`^HTTP/1.1 ${String(status)} `));
    client.destroy();
  });

  it('an import goes into the workspace of its key, and no other workspace sees it', async () => {
    const key = await scene.keyOf('person:elsewhere', ['importer', 'auditor'], { workspace: 'elsewhere' });
    const elsewhere = new Http(scene.running.url, key);
    const n = scene.fresh(2);
    const answer = await scene.imported(`${oldRows(n, n + 2)}{"cut here": `, '?run=mine');
    for (const path of ['/v1/imports/mine', '/v1/imports/mine/quarantined', '/v1/imports/never', '/v1/imports/no%20name']) {
      const { status, body } = await elsewhere.raw('GET', path, undefined, { 'counterfoil-min-position': answer.position });
      expect([path, status, (body as { code: string }).code]).toEqual([path, 404, 'not_found']);
    }
    expect(await elsewhere.call('GET', '/v1/imports')).toMatchObject({ items: [] });
    const upload = new HandUpload(scene.running.url, key, '/v1/imports?run=mine');
    await upload.send(oldRows(n, n + 2));
    // The same records are new to the other workspace.
    expect(await upload.end()).toMatchObject({ status: 201, body: { totals: { imported: 2 } } });
    expect(await elsewhere.call('GET', '/v1/imports/mine')).toMatchObject({ by: 'person:elsewhere' });
    expect(await scene.view('mine')).toMatchObject({ by: 'person:importer' });
  });

  it('an import ends with its key', async () => {
    const { secret, keyId } = await scene.running.admin.call<{ secret: string; keyId: string }>('POST', '/v1/keys', {
      principal: 'person:leaving',
      roles: ['importer'],
    });
    const n = scene.fresh(10);
    const upload = new HandUpload(scene.running.url, secret, '/v1/imports?run=revoked');
    await upload.send(oldRows(n, n + 10));
    await scene.until('revoked', () => true);
    await scene.running.admin.call('DELETE', `/v1/keys/${keyId}`);
    expect(await upload.answer).toMatchObject({
      status: 201,
      connection: 'close',
      body: { state: 'interrupted', totals: { imported: 10 } },
    });
  });
});
