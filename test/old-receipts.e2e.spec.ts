import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page, ReceiptDocument } from '@counterfoil/contracts';
import { sharedHistory } from './corpus/shared.js';
import type { Http } from './demo/agent.js';
import { startLedger, type RunningLedger } from './support/running-ledger.js';

const records = sharedHistory('records');
if (records === null) process.stdout.write('skipped: the old keys of ../shared/history/records, which is not there\n');

let running: RunningLedger;
let auditor: Http;

beforeAll(async () => {
  running = await startLedger();
  auditor = await running.client('person:auditor', ['auditor']);
});

afterAll(() => running.stop());

/** Imports lines; answers the position at which they are read. */
async function imported(...lines: readonly unknown[]): Promise<string> {
  const response = await fetch(new URL('/v1/imports', running.url), {
    method: 'POST',
    headers: { authorization: `Bearer ${running.adminKey}`, 'content-type': 'application/x-ndjson' },
    body: lines.map((line) => JSON.stringify(line)).join('\n'),
  });
  expect([200, 201]).toContain(response.status);
  return ((await response.json()) as { position: string }).position;
}

async function list(position: string, query = ''): Promise<readonly ReceiptDocument[]> {
  const all: ReceiptDocument[] = [];
  for (let cursor = ''; ;) {
    const path = `/v1/receipts?provenance=imported&limit=3${query}${cursor}`;
    const page = await auditor.call<Page<ReceiptDocument>>('GET', path, undefined, { 'counterfoil-min-position': position });
    all.push(...page.items);
    if (page.nextCursor === null) return all;
    cursor = `&cursor=${page.nextCursor}`;
  }
}

const read = (id: string, query = ''): Promise<ReceiptDocument> => auditor.call<ReceiptDocument>('GET', `/v1/receipts/${id}${query}`);
const oldKeys = (id: string): Promise<Record<string, unknown>> => auditor.call('GET', `/v1/receipts/${id}?view=compat`);

const receipt = {
  receipt_id: 'receipt_000000000000000000000000000000aa',
  operation_id: '6ea7cdb8547174d4abde4b73533424cd',
  action: 'run_cmd',
  args: 'printf ok',
  authorized: true,
  started_at: '2026-08-20T09:15:00.123456+00:00',
  completed_at: '2026-08-20T09:15:00.654321+00:00',
  success: true,
  result: 'ok',
  failure: null,
  exit_code: 0,
  verified_effect: null,
  acceptance: null,
};
const row = (id: string, type: string, payload: object, seconds: string, more: object = {}): object => ({
  id,
  event_type: type,
  payload: JSON.stringify(payload),
  user_id: 'local',
  workspace_id: 'default',
  session_id: 'chat-1',
  task_id: null,
  created_at: `2026-08-20T09:15:${seconds}+00:00`,
  ...more,
});
const { started_at: _started, completed_at: _completed, exit_code: _code, verified_effect: _effect, ...streamed } = receipt;

describe('one old receipt in several records', () => {
  const sightings = [
    { event: 'tool_receipt', tool_receipt: { ...streamed, task_id: null } },
    row('evt_replayed', 'execution.receipt', { ...receipt, task_id: 'task_parent' }, '09.000001', { session_id: 'chat-2' }),
    row('evt_first', 'execution.receipt', receipt, '01'),
    row('evt_sub', 'subagent.receipt', { run_id: 'subagent_1', agent_session_id: 'subagent_1', receipt }, '02.5'),
  ];
  let position: string;
  beforeAll(async () => {
    position = await imported(...sightings);
  });

  it('is listed once, by every filter that finds one of them, and read by the id of each', async () => {
    const [whole, ...others] = await list(position);
    expect(others).toEqual([]);
    expect(whole).toMatchObject({
      status: 'succeeded',
      sessionId: 'chat-1',
      association: { kind: 'recorded', taskId: 'task_parent', basis: 'later_copy' },
      taskId: 'task_parent',
      provenance: {
        surface: 'execution.receipt',
        coordinates: { eventId: 'evt_first' },
        anomalies: [],
        sightings: [
          { eventId: 'evt_sub', surface: 'subagent.receipt' },
          { eventId: 'evt_replayed', surface: 'execution.receipt' },
          { eventId: null, surface: 'stream' },
        ],
      },
    });
    for (const query of ['&session=chat-2', '&task=task_parent', '&session=chat-1', '&status=succeeded', '&from=2026-01-01T00:00:00Z']) {
      expect([query, await list(position, query)]).toEqual([query, [whole]]);
    }
    expect(await list(position, '&session=chat-1&task=task_parent')).toEqual([]);
    const provenance = whole?.provenance;
    const ids = provenance?.kind === 'imported' ? provenance.sightings.map(({ ourReceiptId }) => ourReceiptId ?? '') : [];
    expect(new Set([whole?.receiptId, ...ids]).size).toBe(4);
    for (const id of ids) expect(await read(id)).toEqual(whole);
  });

  it('gives the old keys of each record by its own id', async () => {
    const [whole] = await list(position);
    const provenance = whole?.provenance;
    const [sub, replayed, stream] =
      provenance?.kind === 'imported' ? provenance.sightings.map(({ ourReceiptId }) => ourReceiptId ?? '') : [];
    expect(await oldKeys(whole?.receiptId ?? '')).toEqual({ ...receipt, cut: false });
    expect(await oldKeys(sub ?? '')).toEqual({ ...receipt, cut: false });
    expect(await oldKeys(replayed ?? '')).toEqual({ ...receipt, task_id: 'task_parent', cut: false });
    expect(await oldKeys(stream ?? '')).toEqual({ ...streamed, task_id: null, cut: false });
  });
});

describe('an old receipt that is larger than what is stored of a record', () => {
  it.each([
    ['JSON text', (payload: object): object => row('evt_long_text', 'execution.receipt', payload, '03')],
    ['an object', (payload: object): object => row('evt_long_object', 'execution.receipt', {}, '04', { payload })],
    [
      'JSON text in JSON text',
      (payload: object): object =>
        row('evt_long_twice', 'execution.receipt', {}, '05', { payload: JSON.stringify(JSON.stringify(payload)) }),
    ],
    [
      'a receipt in an event',
      (payload: object): object => row('evt_long_sub', 'subagent.receipt', { run_id: 'r', receipt: payload }, '06'),
    ],
  ])('keeps its keys, with what was cut marked, from %s', async (form, rowOf) => {
    const payload = {
      ...receipt,
      receipt_id: `receipt_long_${form}`,
      action: 'read_file',
      exit_code: null,
      result: 'naïve "line"\n'.repeat(15_000),
    };
    const [doc] = await importedBy(rowOf(payload) as OldObject);
    const { result, ...shown } = await oldKeys(doc?.receiptId ?? '');
    const { result: recorded, ...others } = payload;
    expect(shown).toEqual({ ...others, cut: true });
    expect(typeof result === 'string' && result.length > 10_000 && recorded.startsWith(result.slice(0, 10_000))).toBe(true);
    expect(Buffer.byteLength(JSON.stringify({ ...shown, result }))).toBeLessThanOrEqual(65_536);
  });
});

(records === null ? describe.skip : describe)('the old keys of the records of the corpus (in ../shared/history)', () => {
  const names = records === null ? [] : readdirSync(records).filter((name) => /^\d.*\.json$/.test(name));
  let receipts = 0;

  it.each(names)('are those of %s, with their values', async (name) => {
    const record = JSON.parse(readFileSync(join(records ?? '', name), 'utf8')) as OldObject;
    const docs = await importedBy(record);
    const recorded = oldReceipts(record);
    // What is no receipt, or was put aside, left none.
    if (docs.length > 0) expect(docs).toHaveLength(recorded.length);
    for (const [i, doc] of docs.entries()) await expectOldKeys(doc, recorded[i] ?? {});
    receipts += docs.length;
  });

  it('were of receipts, most of them', () => {
    expect(receipts).toBeGreaterThan(25);
  });
});

type OldObject = Record<string, unknown>;

/** The receipts that the import of a record leaves, in their order, as they are stored: with their originals. */
async function importedBy(record: OldObject): Promise<readonly ReceiptDocument[]> {
  const before = await running.ledger.store.head();
  const position = running.ledger.parseToken(await imported(record));
  const models = await running.ledger.readModels(position, 5000);
  const all: ReceiptDocument[] = [];
  for await (const { doc } of models.receipts.scan()) if (doc !== null && BigInt(doc.requestedPosition) > before) all.push(doc);
  return all.sort((a, b) => Number(a.requestedPosition) - Number(b.requestedPosition));
}

async function expectOldKeys(doc: ReceiptDocument, recorded: OldObject): Promise<void> {
  const shown = await oldKeys(doc.receiptId);
  expect(Object.keys(shown).sort()).toEqual([...Object.keys(recorded), 'cut'].sort());
  expect(shown['cut']).toBe(false);
  const redacted = new Set((doc.original?.redactions ?? []).flatMap(({ path }) => path.split(/[/#]+/)));
  for (const [key, value] of Object.entries(recorded)) {
    // What a secret was taken out of comes back without it.
    if (redacted.has(key)) expect(JSON.stringify(shown[key])).not.toContain('FAKE');
    else expect([key, withoutDigests(shown[key])]).toEqual([key, withoutDigests(value)]);
  }
}

/** Digests over what was not redacted come back keyed. */
function withoutDigests(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll(/"([0-9a-f]{64}|import:[\w-]{43})"/g, '"digest"')) as unknown;
}

function decoded(value: unknown): OldObject {
  const object = typeof value === 'string' ? (JSON.parse(value) as unknown) : value;
  return typeof object === 'string' ? decoded(object) : (object as OldObject);
}

/** The receipts that a record of the corpus holds, by its shape. */
function oldReceipts(record: OldObject): readonly OldObject[] {
  if (record['event_type'] === 'subagent.receipt') return [decoded(decoded(record['payload'])['receipt'])];
  if (typeof record['event_type'] === 'string') return [decoded(record['payload'])];
  if ('evidence' in record && 'description' in record) return decoded(record['evidence']) as unknown as OldObject[];
  return [decoded(record['tool_receipt'] ?? record['receipt'] ?? record)];
}
