import type { Page, ReceiptDocument } from '@counterfoil/contracts';
import { Agent, type CallAnswer, type Http } from './demo/agent.js';
import { EventStreamClient } from './support/event-stream.js';
import { startLedger, type RunningLedger } from './support/running-ledger.js';

const CALLS = 33;

let running: RunningLedger;
let http: Http;

beforeAll(async () => {
  running = await startLedger();
  http = await running.client('agent:a', ['agent']);
});

afterAll(() => running.stop());

/** Greater where a position is later. */
const after = (position: string): bigint => BigInt(position.split('.')[1] ?? '');

describe('calls that end in another order than they were asked in (case 27)', () => {
  const asked = Array.from({ length: CALLS }, (_, n) => `call_${String(n)}`);
  /** Every second one is late. */
  const ended = [...asked.filter((_, n) => n % 2 === 1).reverse(), ...asked.filter((_, n) => n % 2 === 0)];
  let began: string;
  let position: string;
  let receipts: readonly ReceiptDocument[];

  beforeAll(async () => {
    const agent = new Agent(http, 's1');
    await agent.open();
    began = running.ledger.token(await running.ledger.store.head());
    const inFlight = new Map<string, { readonly call: CallAnswer; readonly attempt: string }>();
    for (const callId of asked) {
      const call = await agent.request('1', callId, 'build', { callId });
      inFlight.set(callId, { call, attempt: (await agent.dispatch(call)).attempt });
    }
    for (const callId of ended) {
      const one = inFlight.get(callId);
      if (one === undefined) throw new Error('not asked');
      ({ position } = await agent.report(one.call, one.attempt, { status: 'succeeded' }, callId));
    }
    const page = await http.call<Page<ReceiptDocument>>('GET', `/v1/receipts?session=s1&limit=${String(CALLS)}`, undefined, {
      'counterfoil-min-position': position,
    });
    receipts = page.items;
  });

  it('are listed in the order in which they were asked, the newest first', () => {
    expect(receipts.map(({ callId }) => callId).reverse()).toEqual(asked);
  });

  it('are listed in the order in which they ended, if that is asked for, page by page', async () => {
    const pages: string[] = [];
    let cursor = '';
    do {
      const path = `/v1/receipts?session=s1&order=ended&limit=10${cursor}`;
      const page = await http.call<Page<ReceiptDocument>>('GET', path, undefined, { 'counterfoil-min-position': position });
      pages.push(...page.items.map(({ callId }) => callId));
      cursor = page.nextCursor === null ? '' : `&cursor=${page.nextCursor}`;
    } while (cursor !== '');
    expect(pages.reverse()).toEqual(ended);
    expect((await http.raw('GET', '/v1/receipts?order=ended')).status).toBe(422);
  });

  it('each say by their position, and by their times, in which order they ended', () => {
    const byEnd = receipts.toSorted((a, b) => (after(a.position) < after(b.position) ? -1 : 1));
    expect(byEnd.map(({ callId }) => callId)).toEqual(ended);
    const completed = byEnd.map(({ times }) => Date.parse(times.completed ?? ''));
    expect(completed).toEqual(completed.toSorted((a, b) => a - b));
  });

  it('are told of in that order by the stream, from any position on', async () => {
    const key = await running.admin.call<{ secret: string }>('POST', '/v1/keys', { principal: 'person:q', roles: ['auditor'] });
    const stream = await EventStreamClient.open(running.url, key.secret, `?types=receipt&session=s1&from=${began}`, {});
    const told: unknown[] = [];
    // A message holds the receipt as it is by now; which event it is of shows in the order.
    for (let n = 0; n < CALLS * 3; n++) told.push((await stream.take(1))[0]?.document['callId']);
    stream.leave();
    expect(told.slice(-CALLS)).toEqual(ended);
  });
});

it('a client’s clock that is a day off, or steps back, changes no order: both times are kept', async () => {
  const agent = new Agent(http, 'clocks');
  await agent.open();
  const clocks = ['2031-05-02T10:00:00.000Z', '2031-05-01T10:00:00.000Z', '1999-12-31T23:59:59.999Z', '2031-05-03T10:00:00.000Z'];
  const began = Date.now();
  let position = '';
  for (const [n, occurredAt] of clocks.entries())
    ({ position } = await agent.request('1', `call_${String(n)}`, 'look', { n }, { occurredAt }));
  const headers = { 'counterfoil-min-position': position };
  const { items } = await http.call<Page<ReceiptDocument>>('GET', '/v1/receipts?session=clocks', undefined, headers);
  const oldestFirst = items.toReversed();
  expect(oldestFirst.map(({ callId, times }) => [callId, times.occurred])).toEqual(clocks.map((clock, n) => [`call_${String(n)}`, clock]));
  for (const { times } of items) expect(Math.abs(Date.parse(times.requested ?? '') - began)).toBeLessThan(3_600_000);
});
