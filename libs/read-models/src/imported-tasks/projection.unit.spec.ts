import type { ImportedTaskDocument, LedgerEvent } from '@counterfoil/contracts';
import {
  digestOf,
  historicalCopyImported,
  historicalTaskImported,
  historicalTransitionImported,
  historyStream,
  OLD_TASK,
  payloadOf,
  projecting,
  recordedIn,
  sessionOpened,
  STREAM,
  taskSucceeded,
  testLog,
} from '@counterfoil/testing';
import fc from 'fast-check';
import { importedTasksProjection } from './projection.js';

const { given } = projecting(importedTasksProjection);
const ROW = historyStream('record-0');
const KEY = 'w1/record-0';

type Facts = NonNullable<Parameters<typeof historicalTaskImported>[0]>;

const versionsOf = (...facts: readonly Facts[]): readonly LedgerEvent[] =>
  recordedIn(ROW, ...facts.map((one) => historicalTaskImported(one)));
const after = (...facts: readonly Facts[]): ImportedTaskDocument => given(...versionsOf(...facts)).doc(KEY);

describe('an imported task', () => {
  it('is as its row stood', () => {
    const original = payloadOf({ id: 'task_1', status: 'done' });
    const facts: Facts = { status: 'succeeded', recordedStatus: 'done', evidenceCount: 2, anomalies: ['timestamp_assumed_utc'] };
    given(...versionsOf({ ...facts, original, generation: '0a' })).thenExactly({
      [KEY]: {
        recordKey: 'record-0',
        workspaceId: 'w1',
        userId: 'local',
        sessionId: 'chat-1',
        format: 'openkyrozen',
        generation: '0a',
        surface: 'task',
        coordinates: OLD_TASK,
        anomalies: ['timestamp_assumed_utc'],
        importRun: 'run-0',
        original,
        taskId: 'task_1',
        status: 'succeeded',
        recordedStatus: 'done',
        evidenceCount: 2,
        createdAt: '2026-08-20T09:00:00.000001Z',
        updatedAt: '2026-08-20T09:00:00.000001Z',
        contentDigest: digestOf('content-0'),
        versions: 1,
        importedPosition: '1',
        revision: '0',
        position: '1',
      },
    });
  });

  it('keeps a word that is none of ours beside no status', () => {
    expect(after({ status: null, recordedStatus: 'in_progress' })).toMatchObject({ status: null, recordedStatus: 'in_progress' });
    expect(after({ status: null, recordedStatus: null, coordinates: {} })).toMatchObject({ recordedStatus: null, taskId: null });
  });

  it('is as its latest version says, and keeps its place in lists', () => {
    const earlier = { updatedAt: '2026-08-20T09:00:00.999999Z', recordedStatus: 'pending', contentDigest: digestOf('b') };
    const later = { updatedAt: '2026-08-20T09:00:01Z', recordedStatus: 'failed', contentDigest: digestOf('a'), importRun: 'run-1' };
    const expected = { recordedStatus: 'failed', importRun: 'run-1', contentDigest: digestOf('a'), versions: 2, importedPosition: '1' };
    expect(after(earlier, later)).toMatchObject({ ...expected, revision: '1', position: '2' });
    expect(after(later, earlier)).toMatchObject({ ...expected, revision: '1', position: '2' });
  });

  it('takes a version without a time for older than any with one', () => {
    const untimed = { updatedAt: null, recordedStatus: 'failed', contentDigest: digestOf('z') };
    const timed = { updatedAt: '0001-01-01T00:00:00Z', recordedStatus: 'pending', contentDigest: digestOf('a') };
    for (const facts of [
      [untimed, timed],
      [timed, untimed],
    ]) {
      expect(after(...facts)).toMatchObject({ recordedStatus: 'pending', versions: 2 });
    }
  });

  it('is the same in whatever order its versions come, but for positions', () => {
    const times = [null, '2026-08-20T09:00:00Z', '2026-08-20T09:00:00.000000Z', '2026-08-20T09:00:00.1Z', '2026-08-20T09:00:00.10001Z'];
    const versions = fc.uniqueArray(
      fc.record({ updatedAt: fc.constantFrom(...times), contentDigest: fc.stringMatching(/^k[a-f]{3}$/).map(digestOf) }),
      { minLength: 1, maxLength: 5, selector: ({ contentDigest }) => contentDigest },
    );
    const orders = versions.chain((drawn) =>
      fc.tuple(fc.constant(drawn), fc.shuffledSubarray(drawn, { minLength: drawn.length, maxLength: drawn.length })),
    );
    const portable = (facts: readonly Facts[]): object => {
      const {
        importedPosition: _i,
        revision: _r,
        position: _p,
        ...rest
      } = after(
        ...facts.map((one) => ({ ...one, recordedStatus: `of ${one.contentDigest ?? ''}`, importRun: `run ${one.contentDigest ?? ''}` })),
      );
      return rest;
    };
    fc.assert(
      fc.property(orders, ([drawn, shuffled]) => {
        expect(portable(shuffled)).toEqual(portable(drawn));
        expect(portable(shuffled)).toHaveProperty('versions', drawn.length);
      }),
    );
  });

  it('is changed by nothing else that is imported, and by no task of a Working Plan', () => {
    const log = testLog();
    log.append(ROW, historicalTaskImported());
    log.append(historyStream('record-1'), historicalTransitionImported({ recordKey: 'record-1' }));
    log.append(historyStream('record-2'), historicalCopyImported({ recordKey: 'record-2' }));
    log.append(STREAM, sessionOpened(), taskSucceeded({ taskId: 'task_1' }));
    given(...log.events).then({ [KEY]: { recordedStatus: 'pending', versions: 1, position: '1' } });
  });

  it('is no other workspace’s, and comes from no stream of another kind', () => {
    const log = testLog();
    log.append(ROW, historicalTaskImported());
    log.append('history-w2/record-0', historicalTaskImported({ workspaceId: 'w2' }));
    given(...log.events).then({ [KEY]: { workspaceId: 'w1' }, 'w2/record-0': { workspaceId: 'w2' } });
    given(...recordedIn(STREAM, historicalTaskImported())).thenNothing();
    given(...recordedIn('history-w1/qc0', historicalTaskImported())).thenNothing();
  });

  it('can be indexed whatever its row held', () => {
    const taskId = `\ud800${'x'.repeat(600)}`;
    const doc = after({ coordinates: { taskId, userId: '\udfff', sessionId: '' }, recordedStatus: '\u0000', updatedAt: 'never' });
    expect(doc).toMatchObject({ taskId, userId: null, sessionId: null });
    expect(importedTasksProjection.fields(doc)['task']).toBe(`\ufffd${'x'.repeat(511)}`);
  });
});
