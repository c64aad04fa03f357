import { randomUUID } from 'node:crypto';
import type { Page, ReceiptDocument } from '@counterfoil/contracts';
import { historicalTaskImported, historicalTransitionImported, leaseExtended } from '@counterfoil/testing';
import { Agent, type CallAnswer, type Http } from './demo/agent.js';
import { appendRecords } from './support/old-records.js';
import { startLedger, type RunningLedger } from './support/running-ledger.js';

let running: RunningLedger;
let auditor: Http;
let agentKey: Http;
/** Its stream is parked: what it asked for before and after. */
let parked: Agent;
let before: CallAnswer;
let after: CallAnswer;
let neighbour: CallAnswer;

beforeAll(async () => {
  running = await startLedger();
  auditor = await running.client('person:auditor', ['auditor']);
  agentKey = await running.client('agent:a', ['agent']);
  parked = new Agent(agentKey, 'parked');
  await parked.open();
  before = await parked.request('1', 'before', 'read', { n: 1 });
  await poison(before.call.receiptId);
  after = await parked.request('1', 'after', 'read', { n: 2 });
  const other = new Agent(agentKey, 'other');
  await other.open();
  neighbour = await other.request('1', 'c', 'read', { n: 1 });
});

afterAll(() => running.stop());

/** An event that no decision makes: the lease of a call that was never dispatched grows. */
async function poison(receiptId: string): Promise<void> {
  const { store } = running.ledger;
  const stream = 'session-default/parked';
  const { type, data } = leaseExtended({ receiptId });
  const actor = { principal: 'service:test', keyId: 'test' };
  const facts = { occurredAt: null, correlationId: null, causationId: null, traceparent: null };
  const metadata = { recordedAt: new Date().toISOString(), actor, ...facts };
  const expected = (await store.streamHead(stream))?.revision ?? 'no_stream';
  await store.append({ stream, expected, events: [{ id: randomUUID(), type, version: 1, data, metadata }] });
}

const at = (position: string): Record<string, string> => ({ 'counterfoil-min-position': position });
const receipt = ({ call }: CallAnswer, position: string | null): Promise<{ status: number; body: unknown }> =>
  auditor.raw('GET', `/v1/receipts/${call.receiptId}`, undefined, position === null ? {} : at(position));
const PARKED = { status: 503, body: { code: 'stream_parked', retryable: false } };

describe('of a session whose stream is parked', () => {
  it('commands are decided as ever', () => {
    expect([before.call.status, after.call.status]).toEqual(['requested', 'requested']);
  });

  it('a receipt that was never projected is not said to be missing', async () => {
    expect(await receipt(after, after.position)).toMatchObject(PARKED);
  });

  it('a receipt from before is not given as if it were the newest', async () => {
    expect(await receipt(before, after.position)).toMatchObject(PARKED);
    expect(await receipt(before, before.position)).toMatchObject({ status: 200, body: { callId: 'before' } });
    expect(await receipt(before, null)).toMatchObject({ status: 200, body: { callId: 'before' } });
  });

  it('the receipts of its neighbours are read as ever', async () => {
    expect(await receipt(neighbour, neighbour.position)).toMatchObject({ status: 200, body: { callId: 'c' } });
  });

  it.each([
    '/v1/receipts',
    '/v1/receipts?session=other',
    '/v1/sessions',
    '/v1/tasks',
    '/v1/plans',
    '/v1/approvals',
    '/v1/tools',
    '/v1/imports',
  ])('%s says that it may lack something', async (path) => {
    const reader = path === '/v1/approvals' ? await running.client('person:p', ['approver']) : running.admin;
    const page = await (path.startsWith('/v1/receipts') ? auditor : reader).call<Page<unknown>>(
      'GET',
      path,
      undefined,
      at(neighbour.position),
    );
    expect(page.incomplete).toBe('stream_parked');
  });

  it('another workspace knows nothing of it', async () => {
    const elsewhere = await running.client('person:there', ['auditor'], { workspace: 'elsewhere' });
    const page = await elsewhere.call<Page<ReceiptDocument>>('GET', '/v1/receipts', undefined, at(after.position));
    expect(page).toEqual({ items: [], nextCursor: null, position: page.position });
    expect(await elsewhere.raw('GET', `/v1/receipts/${after.call.receiptId}`, undefined, at(after.position))).toMatchObject({
      status: 404,
    });
  });
});

it('an old record whose stream is parked is not given as if it were the newest', async () => {
  const position = await appendRecords(running.ledger, 'row', [historicalTaskImported()]);
  expect(await auditor.raw('GET', '/v1/imported-tasks/row', undefined, at(position))).toMatchObject({ status: 200 });
  const last = await appendRecords(running.ledger, 'change', [historicalTransitionImported(), historicalTransitionImported()]);
  expect(await auditor.raw('GET', '/v1/imported-tasks/row', undefined, at(last))).toMatchObject(PARKED);
  expect(await auditor.raw('GET', '/v1/imported-tasks/row', undefined, at(position))).toMatchObject({ status: 200 });
});
