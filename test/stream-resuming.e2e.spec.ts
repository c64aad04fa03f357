import type { StreamMessage } from './support/event-stream.js';
import { StreamStage } from './support/stream-stage.js';

let stage: StreamStage;

beforeAll(async () => {
  stage = await StreamStage.start();
});
beforeEach(() => stage.nextSession());
afterEach(() => stage.leaveAll());
afterAll(() => stage.running.stop());

describe('resuming', () => {
  it('at any message loses none: everything after the last id comes again', async () => {
    const from = await stage.listen(stage.auditor, `?session=${stage.agent.sessionId}`);
    for (const n of [1, 2, 3]) await stage.agent.request('1', `call-${String(n)}`, 'pay', { n }, { requireApproval: true });
    const all = await from.take(9);
    for (const [n, message] of all.entries()) {
      const again = await stage.listen(stage.auditor, `?session=${stage.agent.sessionId}`, { 'last-event-id': message.lastEventId });
      const rest = all.slice(n + 1);
      const got = rest.length === 0 ? [] : await again.until(({ id }) => id === all.at(-1)?.id);
      const key = ({ event, document }: StreamMessage): string =>
        `${event} ${String(document['receiptId'])} ${String(document['approvalId'])} ${String(document['position'])}`;
      expect(got.map(key)).toEqual(expect.arrayContaining(rest.map(key)));
      again.leave();
    }
  });

  it('a client that lost its stream before the first event resumes where it began', async () => {
    const lost = await stage.listen(stage.auditor, '?types=receipt');
    const began = await lost.begin();
    lost.leave();
    await stage.agent.request('1', 'a', 'read', { n: 1 });
    const again = await stage.listen(stage.auditor, '?types=receipt', { 'last-event-id': began });
    expect((await again.take(1))[0]?.document).toMatchObject({ callId: 'a' });
  });

  it('`from` begins there too, and Last-Event-ID goes before it', async () => {
    const asked = await stage.agent.request('1', 'a', 'read', { n: 1 });
    await stage.agent.request('1', 'b', 'read', { n: 2 });
    const query = `?session=${stage.agent.sessionId}&from=${stage.running.ledger.token(0n)}`;
    expect((await (await stage.listen(stage.auditor, query)).take(2)).map(({ document }) => document['callId'])).toEqual(['a', 'b']);
    const later = await stage.listen(stage.auditor, query, { 'last-event-id': asked.position });
    expect((await later.take(1))[0]?.document['callId']).toBe('b');
  });

  it.each([
    ['a position that is none', 'nonsense', 400, 'invalid_position'],
    ['a position that is not reached', 'EPOCH.999999', 400, 'invalid_position'],
    ['a position of another ledger', 'other.1', 409, 'position_of_another_ledger'],
  ])('%s is refused', async (_what, token, status, code) => {
    const lastEventId = token.replace('EPOCH', stage.running.ledger.store.epoch);
    const refused = await stage.auditor.http.raw('GET', '/v1/stream', undefined, { 'last-event-id': lastEventId });
    expect([refused.status, refused.body]).toEqual([status, expect.objectContaining({ code })]);
    expect((await stage.auditor.http.raw('GET', `/v1/stream?from=${lastEventId}`)).status).toBe(status);
  });
});
