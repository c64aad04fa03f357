import {
  historicalTaskImported,
  historicalTransitionImported,
  historyStream,
  OLD_TASK,
  payloadOf,
  projecting,
  recordedIn,
  STREAM,
  testLog,
} from '@counterfoil/testing';
import { recordedTaskKey } from '../shared/imported-record.js';
import { taskTransitionsProjection } from './projection.js';

const { given, fault } = projecting(taskTransitionsProjection);
const EVENT = historyStream('record-0');
const KEY = 'w1/record-0';

describe('a change of a task in an old event log', () => {
  it('is kept as it was recorded', () => {
    const original = payloadOf({ event_type: 'task.failed', payload: { evidence: [] } });
    const coordinates = { ...OLD_TASK, eventId: 'evt_9' };
    const log = testLog({ occurredAt: '2026-08-20T09:00:00.1234567Z' });
    log.append(EVENT, historicalTransitionImported({ original, coordinates, transition: 'task.failed', to: 'failed' }));
    given(...log.events).thenExactly({
      [KEY]: {
        recordKey: 'record-0',
        workspaceId: 'w1',
        userId: 'local',
        sessionId: 'chat-1',
        format: 'openkyrozen',
        generation: '1',
        surface: 'task.event',
        coordinates,
        anomalies: [],
        importRun: 'run-0',
        original,
        taskId: 'task_1',
        transition: 'task.failed',
        to: 'failed',
        createdAt: '2026-08-20T09:00:00.1234567Z',
        importedPosition: '1',
        revision: '0',
        position: '1',
      },
    });
  });

  it('is filed under its task, by its own time and key', () => {
    const log = testLog({ occurredAt: '2026-08-20T09:00:00.5Z' });
    log.append(EVENT, historicalTransitionImported());
    expect(taskTransitionsProjection.fields(given(...log.events).doc(KEY))).toEqual({
      workspace: 'w1',
      task: recordedTaskKey({ coordinates: OLD_TASK, anomalies: [] }),
      createdAt: '2026-08-20T09:00:00.500000000Z',
      recordKey: 'record-0',
      user: 'local',
    });
  });

  it('comes behind all others where it says no time, and is nobody’s where it names no task', () => {
    const doc = given(...recordedIn(EVENT, historicalTransitionImported({ coordinates: { eventId: 'evt_1' }, to: null }))).doc(KEY);
    expect(doc).toMatchObject({ createdAt: null, taskId: null, to: null, userId: null });
    const { createdAt, task } = taskTransitionsProjection.fields(doc);
    expect([String(createdAt) > '9999-12-31T23:59:59.999999999Z', task]).toEqual([true, null]);
  });

  it('is recorded once: its source does not rewrite it', () => {
    fault('projection_fault', ...recordedIn(EVENT, historicalTransitionImported(), historicalTransitionImported()));
  });

  it('comes from the stream of its record alone', () => {
    given(...recordedIn(STREAM, historicalTransitionImported())).thenNothing();
    given(...recordedIn(EVENT, historicalTaskImported())).thenNothing();
  });
});
