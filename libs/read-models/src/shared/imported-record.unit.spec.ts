import { historicalTransitionImported, historyStream, OLD_TASK, recordedIn } from '@counterfoil/testing';
import fc from 'fast-check';
import { recordedTaskKey, recordFacts, type RecordEvent } from './imported-record.js';

type Facts = Parameters<typeof historicalTransitionImported>[0];

function recordOf(facts: Facts): ReturnType<typeof recordFacts> {
  const [event] = recordedIn(historyStream('record-0'), historicalTransitionImported(facts));
  return recordFacts(event as RecordEvent);
}

const scopeOf = (facts: Facts): readonly (string | null)[] => {
  const { userId, sessionId } = recordOf(facts);
  return [userId, sessionId];
};

describe('user and session of an imported record', () => {
  const given = { userId: 'u1', sessionId: 's1' };

  it('are those that were recorded, also beside others that the importer named', () => {
    expect(scopeOf({})).toEqual(['local', 'chat-1']);
    expect(scopeOf({ given })).toEqual(['local', 'chat-1']);
  });

  it('are those that the importer named where none were recorded', () => {
    expect(scopeOf({ coordinates: { taskId: 'task_1' }, given })).toEqual(['u1', 's1']);
    expect(scopeOf({ coordinates: { userId: null, sessionId: 'chat-1' }, given })).toEqual(['u1', 'chat-1']);
    expect(scopeOf({ coordinates: {}, given: { userId: null, sessionId: 's1' } })).toEqual([null, 's1']);
    expect(scopeOf({ coordinates: {} })).toEqual([null, null]);
  });

  it.each(['Jo Doe', 'a/b', '', 'x'.repeat(129), 'ü'])(
    'are none where what was recorded is no id of ours (%j), and nobody else’s',
    (name) => {
      expect(scopeOf({ coordinates: { userId: name, sessionId: name }, given })).toEqual([null, null]);
    },
  );

  it.each(['identifier_withheld', 'identifier_unusable'])(
    'are not taken from the importer where an identifier was not kept: %s',
    (mark) => {
      expect(scopeOf({ coordinates: { userId: null, sessionId: 'chat-1' }, anomalies: [mark], given })).toEqual([null, 'chat-1']);
    },
  );
});

describe('the key of a recorded task', () => {
  const keyOf = (coordinates: Record<string, string | null>, ...anomalies: string[]): string | null =>
    recordedTaskKey({ coordinates, anomalies });

  it('is one for one workspace, user, session and task, whatever else is recorded', () => {
    const key = keyOf(OLD_TASK);
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(keyOf({ ...OLD_TASK, eventId: 'evt_1', createdAt: '2026-08-20T09:00:00Z' })).toBe(key);
    expect(keyOf({ taskId: 'task_1', sessionId: 'chat-1', userId: 'local', workspaceId: 'source-1' })).toBe(key);
    expect(keyOf({ ...OLD_TASK, sessionId: null })).toBe(keyOf({ workspaceId: 'source-1', userId: 'local', taskId: 'task_1' }));
  });

  it('is another one in any other scope', () => {
    const value = fc.option(fc.string({ unit: 'binary', maxLength: 4 }));
    const place = fc.record({ workspaceId: value, userId: value, sessionId: value, taskId: fc.string({ unit: 'binary', maxLength: 4 }) });
    fc.assert(
      fc.property(place, place, (one, other) => {
        expect(keyOf(one) === keyOf(other)).toBe(JSON.stringify(Object.values(one)) === JSON.stringify(Object.values(other)));
      }),
    );
  });

  it('is none where no task is named', () => {
    expect(keyOf({ ...OLD_TASK, taskId: null })).toBeNull();
    expect(keyOf({ userId: 'local' })).toBeNull();
  });

  it.each(['identifier_withheld', 'identifier_unusable'])('is none where one of its parts was not kept: %s', (mark) => {
    expect(keyOf({ ...OLD_TASK, userId: null }, mark)).toBeNull();
    expect(keyOf({ ...OLD_TASK, userId: null }, 'missing_keys')).not.toBeNull();
    // Another identifier was not kept: these are all there.
    expect(keyOf(OLD_TASK, mark)).toBe(keyOf(OLD_TASK));
  });
});
