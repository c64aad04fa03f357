import type { SessionDocument } from '@counterfoil/contracts';
import {
  manyCalls,
  projectedCollection,
  receiptNamed,
  sessionClosed,
  sessionOpened,
  testLog,
  toolCallCancelled,
  toolCallRequested,
} from '@counterfoil/testing';
import type { ReadScope } from '../shared/scope.js';
import { sessionsProjection } from './projection.js';
import { closedWithLeftovers, findSessions, getSession, SessionListQuery, splitSessionQuery, type SessionFilters } from './queries.js';

const log = manyCalls(200);
for (const stream of ['session-w1/s0', 'session-w1/s1', 'session-w2/s3']) log.append(stream, sessionClosed());
const sessions = projectedCollection(sessionsProjection, log.events);
const WORKSPACE: ReadScope = { workspaceId: 'w1', userId: null };

async function pages(scope: ReadScope, filters: SessionFilters): Promise<readonly SessionDocument[]> {
  const all: SessionDocument[] = [];
  let cursor: string | undefined;
  do {
    const page = await findSessions(sessions, scope, filters, { limit: 4, cursor });
    all.push(...page.items);
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  return all;
}

describe('findSessions', () => {
  it('lists the sessions of a workspace, the last opened first', async () => {
    const found = await pages(WORKSPACE, {});
    expect(found).toHaveLength(23);
    const positions = found.map((doc) => Number(doc.openedPosition));
    expect(positions).toEqual(positions.toSorted((a, b) => b - a));
    expect(new Set(found.map((doc) => doc.workspaceId))).toEqual(new Set(['w1']));
  });

  it('lists those of one user, and those in one state', async () => {
    const all = await pages(WORKSPACE, {});
    expect(await pages({ workspaceId: 'w1', userId: 'u1' }, {})).toEqual(all.filter((doc) => doc.userId === 'u1'));
    expect(await pages(WORKSPACE, { state: 'closed' })).toEqual(all.filter((doc) => ['s0', 's1'].includes(doc.sessionId)));
    expect(await pages({ workspaceId: 'w1', userId: 'u1' }, { state: 'closed' })).toEqual(all.filter((doc) => doc.sessionId === 's1'));
  });

  it('takes a cursor only with its filters', async () => {
    const { nextCursor } = await findSessions(sessions, WORKSPACE, {}, { limit: 2 });
    const reading = findSessions(sessions, WORKSPACE, { state: 'open' }, { cursor: nextCursor ?? '' });
    await expect(reading).rejects.toMatchObject({ code: 'cursor_mismatch' });
  });

  it('takes a query string', () => {
    expect(splitSessionQuery(SessionListQuery.parse({ state: 'open' }))).toEqual({
      filters: { state: 'open' },
      page: { limit: 50, cursor: undefined },
    });
    expect(SessionListQuery.safeParse({ state: 'gone' }).success).toBe(false);
    expect(SessionListQuery.safeParse({ user: 'u1' }).success).toBe(false);
  });
});

describe('getSession', () => {
  it('finds a session of its scope alone', async () => {
    expect(await getSession(sessions, WORKSPACE, 's1')).toMatchObject({ sessionId: 's1', workspaceId: 'w1', state: 'closed' });
    expect(await getSession(sessions, { workspaceId: 'w1', userId: 'u1' }, 's1')).not.toBeNull();
    expect(await getSession(sessions, { workspaceId: 'w1', userId: 'u2' }, 's1')).toBeNull();
    expect(await getSession(sessions, { workspaceId: 'w3', userId: null }, 's1')).toBeNull();
    expect(await getSession(sessions, WORKSPACE, 'none')).toBeNull();
  });
});

describe('closedWithLeftovers', () => {
  it('gives the closed sessions that hold undispatched calls, of all workspaces', async () => {
    const some = testLog();
    some.append('session-w1/open', sessionOpened({ sessionId: 'open' }), toolCallRequested());
    some.append('session-w1/done', sessionOpened({ sessionId: 'done' }), toolCallRequested(), sessionClosed(), toolCallCancelled());
    some.append('session-w1/left', sessionOpened({ sessionId: 'left' }), toolCallRequested(), sessionClosed());
    some.append(
      'session-w2/more',
      sessionOpened({ sessionId: 'more', workspaceId: 'w2' }),
      toolCallRequested(),
      toolCallRequested({ receiptId: receiptNamed('other') }),
      sessionClosed(),
    );
    const collection = projectedCollection(sessionsProjection, some.events);
    expect((await closedWithLeftovers(collection, 10)).map((doc) => doc.sessionId)).toEqual(['left', 'more']);
    expect(await closedWithLeftovers(collection, 1)).toHaveLength(1);
  });
});
