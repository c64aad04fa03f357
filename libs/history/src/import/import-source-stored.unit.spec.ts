import { CONTEXT } from '../testing/import-context.js';
import { invented } from '../testing/invented-rows.js';
import { bytesOf } from '../testing/sources.js';
import { imported, lineOf, newStore, streams } from '../testing/importing-source.js';

describe('importSource: what is stored', () => {
  it('says when and where it came from, and by whom', async () => {
    const store = newStore();
    await imported(store, bytesOf('', lineOf(7)));
    for await (const { stream, version, metadata, data } of store.readStored(null)) {
      expect(stream).toBe(`history-default/${(data as { recordKey: string }).recordKey}`);
      expect(version).toBe(1);
      expect(metadata).toMatchObject({
        recordedAt: '2026-05-05T00:00:00.000Z',
        occurredAt: '2026-05-04T03:02:01.300000Z',
        actor: CONTEXT.actor,
        correlationId: 'run-golden',
      });
    }
  });

  it('names line and byte of a record that is put aside, and never its secrets', async () => {
    const store = newStore();
    await imported(store, bytesOf(lineOf(1), 'é', '{"password": "FAKE-pass-7777", "args": "Bearer FAKEbearer0123456789abcdef'));
    const events = [];
    for await (const event of store.readStored(null)) events.push(event);
    const [, first, second] = events;
    expect(first?.data).toMatchObject({ reason: 'not_json', line: 2, byteOffset: Buffer.byteLength(lineOf(1)) + 1 });
    expect(second?.data).toMatchObject({ line: 3 });
    expect(second?.stream).toMatch(/^history-default\/qx[A-Za-z0-9_-]{27}$/);
    expect(JSON.stringify(events.map(({ data }) => data))).not.toContain('FAKE');
  });

  it.each<[string, string]>([
    ['duplicate_key', '{"event_type":"execution.receipt","password":"FAKE-pass-1","password":"FAKE-pass-2","payload":{}}'],
    ['not_a_number', '{"event_type":"execution.receipt","n":NaN,"password":"FAKE-pass-3","payload":"{\\"token\\":\\"FAKE-token-4\\"}"}'],
    ['not_json', '{"event_type":"execution.receipt","payload":{"args":"--token=FAKE-token-5 x","password":"FAKE-pass-6'],
    ['control_character', '{"event_type":"execution.receipt","x":"\u0001","api_key":"FAKE-key-7","payload":{}}'],
    ['wrong_type', JSON.stringify(invented.row({ id: 7 }, { args: '{"secret":"FAKE-secret-8"}' }))],
    ['time_impossible', invented.line({ created_at: 'password=FAKE-pass-9' })],
  ])('keeps no secret of a record that is put aside as %s', async (reason, text) => {
    const store = newStore();
    expect((await imported(store, bytesOf(text))).reasons).toEqual({ [reason]: 1 });
    expect(JSON.stringify(await streams(store))).not.toContain('FAKE');
  });

  it('keeps identifiers out that look like secrets, and finds the record by its content then', async () => {
    const store = newStore();
    const secret = 'ghp_FAKE0123456789abcdefFAKE0123456789ab';
    await imported(store, bytesOf(invented.line({ id: secret, session_id: secret })));
    for await (const { stream, data } of store.readStored(null)) {
      expect(stream).toMatch(/^history-default\/x/);
      expect(data).toMatchObject({ coordinates: { eventId: null, sessionId: null, userId: 'local' }, anomalies: ['identifier_withheld'] });
      expect(JSON.stringify(data)).not.toContain('FAKE');
    }
  });

  it('puts a tool aside whose name looks like a secret', async () => {
    const store = newStore();
    const report = await imported(store, bytesOf(lineOf(1, { action: 'ghp_FAKE0123456789abcdefFAKE0123456789ab' })));
    expect(report.reasons).toEqual({ secret_in_tool_name: 1 });
    expect(JSON.stringify(await streams(store))).not.toContain('FAKE');
  });
});
