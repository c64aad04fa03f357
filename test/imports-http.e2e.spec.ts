import { gzipSync } from 'node:zlib';
import { Importing, type ImportAnswer } from './support/importing.js';
import { oldRow, oldRows } from './support/old-rows.js';

interface Quarantined {
  readonly line: number;
  readonly reason: string;
  readonly byteOffset: number;
  readonly importRun: string;
  readonly position: string;
  readonly record: { readonly json: string };
}

interface Listed {
  readonly items: readonly Quarantined[];
  readonly nextCursor: string | null;
}

let scene: Importing;

beforeAll(async () => {
  scene = await Importing.start(64 * 1024);
});

afterAll(() => scene.running.stop());

describe('an import', () => {
  it('answers when it is done, with counts that add up and a position at which its receipts are read', async () => {
    const n = scene.fresh(3);
    const other = JSON.stringify({ id: 'evt_x', event_type: 'note', payload: {}, user_id: 'l', workspace_id: 'w', created_at: 'x' });
    const answer = await scene.imported(`${oldRows(n, n + 3)}\n${oldRow(n)}\n${other}\n{"cut": `);
    expect(answer).toMatchObject({
      state: 'finished',
      totals: { read: 6, imported: 3, duplicate: 1, derivedCopy: 0, notAReceipt: 1, quarantined: 1 },
      added: { receipts: 3, quarantined: 1 },
      reasons: { not_json: 1 },
      eventsAdded: 4,
      by: 'person:importer',
      dryRun: false,
      error: null,
    });
    const page = await scene.auditor.call<{ items: { provenance: { coordinates: { eventId: string } } }[] }>(
      'GET',
      '/v1/receipts?provenance=imported&limit=200',
      undefined,
      { 'counterfoil-min-position': answer.position },
    );
    const ids = page.items.map(({ provenance }) => provenance.coordinates.eventId);
    expect(ids.filter((id) => oldRows(n, n + 3).includes(id))).toHaveLength(3);
  });

  it('that is sent again adds nothing: the head of the store stays', async () => {
    const n = scene.fresh(5);
    const body = `${oldRows(n, n + 5)}{"cut again": `;
    expect(await scene.imported(body)).toMatchObject({ eventsAdded: 6 });
    const head = await scene.running.events();
    const again = await scene.imported(body);
    expect(again).toMatchObject({ eventsAdded: 0, totals: { imported: 0, duplicate: 5, quarantined: 1 } });
    expect(await scene.running.events()).toBe(head);
    // It leaves no trace in the ledger; this server remembers it.
    const atLeast = { 'counterfoil-min-position': again.position };
    const { items } = await scene.importer.call<{ items: ImportAnswer[] }>('GET', '/v1/imports', undefined, atLeast);
    expect(items.map(({ importRun }) => importRun)).not.toContain(again.importRun);
    expect(await scene.view(again.importRun)).toMatchObject({ state: 'finished', totals: again.totals });
  });

  it.each([
    ['application/x-ndjson', false],
    ['application/jsonl; charset=utf-8', false],
    ['text/plain;charset=UTF-8', false],
    ['application/octet-stream', false],
    ['application/json', false],
    ['application/gzip', true],
    ['application/octet-stream', true],
    ['application/x-ndjson', true],
  ] as const)('comes as %s, in gzip: %p', async (type, isZipped) => {
    const n = scene.fresh(20);
    const lines = oldRows(n, n + 20);
    const answer = await scene.imported(isZipped ? gzipSync(lines) : lines, '', { 'content-type': type });
    expect(answer).toMatchObject({ state: 'finished', totals: { read: 20, imported: 20 } });
  });

  it('may be far larger than a body elsewhere, and be one JSON document', async () => {
    const n = scene.fresh(300);
    const document = JSON.stringify(Array.from({ length: 300 }, (_, k) => JSON.parse(oldRow(n + k)) as unknown));
    expect(document.length).toBeGreaterThan(128 * 1024);
    expect(await scene.imported(document, '', { 'content-type': 'application/json' })).toMatchObject({
      totals: { read: 300, imported: 300 },
    });
    const elsewhere = await scene.running.admin.raw('POST', '/v1/tools', JSON.stringify({ pad: document }));
    expect([elsewhere.status, (elsewhere.body as { code: string }).code]).toEqual([413, 'body_too_large']);
  });

  it('of nothing is one', async () => {
    expect(await scene.imported('')).toMatchObject({ state: 'finished', eventsAdded: 0, totals: { read: 0 } });
    const response = await fetch(new URL('/v1/imports', scene.running.url), {
      method: 'POST',
      headers: { authorization: `Bearer ${scene.key}` },
    });
    expect([response.status, await response.json()]).toMatchObject([200, { state: 'finished', totals: { read: 0 } }]);
  });

  it('that is dry stores nothing, and says what one would do', async () => {
    const n = scene.fresh(4);
    const head = await scene.running.events();
    const answer = await scene.post(`${oldRows(n, n + 4)}{"dry": `, '?dryRun=true&run=dry-1');
    expect([answer.status, answer.body]).toMatchObject([
      200,
      { dryRun: true, state: 'finished', eventsAdded: 5, totals: { read: 5, imported: 4, quarantined: 1 } },
    ]);
    expect(await scene.running.events()).toBe(head);
    expect(await scene.view('dry-1')).toMatchObject({ dryRun: true, totals: { imported: 4 } });
    expect(await scene.importer.call('GET', '/v1/imports/dry-1/quarantined')).toMatchObject({ items: [] });
    expect(await scene.imported(oldRows(n, n + 4))).toMatchObject({ totals: { imported: 4 } });
  });

  it('gives user and session to records that name none, and says that it was the importer', async () => {
    const n = scene.fresh(1);
    const head = await scene.running.ledger.store.head();
    await scene.imported(oldRow(n, { user_id: null, session_id: null }), '?user=u7&session=s7');
    const stored: unknown[] = [];
    for await (const event of scene.running.ledger.store.readStored(head, { limit: 1 })) stored.push(event);
    expect(stored).toMatchObject([
      { data: { given: { userId: 'u7', sessionId: 's7' } }, metadata: { actor: { principal: 'person:importer' } } },
    ]);
  });
});

describe('what was put aside', () => {
  it('is listed by pages, the last first, with where it stood, and redacted', async () => {
    const n = scene.fresh(1);
    const lines = [
      ...Array.from({ length: 7 }, (_, k) => `{"cut ${String(k)}": `),
      oldRow(n),
      oldRow(n, { id: 'evt_twice' }, { args: '{"token":"FAKE3tokenQ7xY3zW3vU9"}' }).replace('{', '{"id":"evt_first",'),
      '{"n":NaN}',
    ];
    const answer = await scene.imported(lines.join('\n'), '?run=aside');
    expect(answer).toMatchObject({ totals: { quarantined: 9 }, reasons: { not_json: 7, duplicate_key: 1, not_a_number: 1 } });
    const page = (query: string): Promise<Listed> =>
      scene.auditor.call<Listed>('GET', `/v1/imports/aside/quarantined${query}`, undefined, {
        'counterfoil-min-position': answer.position,
      });
    const pages: Quarantined[] = [];
    let cursor = '';
    do {
      const found = await page(`?limit=4${cursor}`);
      pages.push(...found.items);
      cursor = found.nextCursor === null ? '' : `&cursor=${found.nextCursor}`;
    } while (cursor !== '');
    expect(new Set(pages.map(({ line }) => line))).toEqual(new Set([1, 2, 3, 4, 5, 6, 7, 9, 10]));
    expect(pages).toHaveLength(9);
    for (const { line, byteOffset, importRun, position } of pages) {
      const offset = lines.slice(0, line - 1).join('\n').length + Number(line > 1);
      expect([byteOffset, importRun]).toEqual([offset, 'aside']);
      expect(position).toMatch(/^[a-z0-9]+\.\d+$/);
    }
    const twice = await page('?reason=duplicate_key');
    expect(twice.items.map(({ line }) => line)).toEqual([9]);
    expect(twice.items[0]?.record.json).not.toContain('FAKE3token');
    expect((await page('?reason=no_such_reason')).items).toEqual([]);
    const mixed = await scene.importer.raw(
      'GET',
      `/v1/imports/aside/quarantined?reason=not_json&cursor=${(await page('?limit=2')).nextCursor ?? ''}`,
    );
    expect([mixed.status, mixed.body]).toMatchObject([400, { code: 'cursor_mismatch' }]);
  });

  it('is listed under the import that was the first to read it', async () => {
    await scene.imported('{"only once": ', '?run=first-reader');
    const second = await scene.imported('{"only once": \n{"and new": ', '?run=second-reader');
    const found = await scene.importer.call<Listed>('GET', '/v1/imports/second-reader/quarantined', undefined, {
      'counterfoil-min-position': second.position,
    });
    expect(found.items.map(({ line }) => line)).toEqual([2]);
  });

  it.each(['auditor', 'importer', 'admin'] as const)('may be read by %s', async (role) => {
    const reader = await scene.running.client(`person:reads-${role}`, [role]);
    expect((await reader.raw('GET', '/v1/imports?limit=1')).status).toBe(200);
    expect((await reader.raw('GET', '/v1/imports/aside')).status).toBe(200);
    expect((await reader.raw('GET', '/v1/imports/aside/quarantined?limit=1')).status).toBe(200);
  });
});

it('metrics count what became of records', async () => {
  const text = await (await fetch(new URL('/metrics', scene.running.url))).text();
  const count = Number(/^counterfoil_imported_records_total\{fate="imported"\} (\d+)$/m.exec(text)?.[1]);
  expect(count).toBeGreaterThan(400);
  expect(text).not.toMatch(/request_duration_seconds_count\{method="POST",route="\/v1\/imports"\}/);
});
