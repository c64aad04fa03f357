import { builder } from './builder.js';
import { WORKSPACE } from './scope.js';
import { digestOf, payloadOf } from './values.js';

const record = {
  workspaceId: WORKSPACE,
  recordKey: 'record-0',
  importRun: 'run-0',
  format: 'openkyrozen',
  generation: '1',
  contentDigest: digestOf('content-0'),
  anomalies: [],
};

/** Where the builders' task stood in its own system. */
export const OLD_TASK = { workspaceId: 'source-1', userId: 'local', sessionId: 'chat-1', taskId: 'task_1' } as const;

export const historicalTaskImported = builder('HistoricalTaskImported', {
  ...record,
  surface: 'task',
  coordinates: OLD_TASK,
  original: payloadOf({ id: 'task_1', description: 'Run the tests', status: 'pending' }),
  status: 'pending',
  recordedStatus: 'pending',
  evidenceCount: 0,
  createdAt: '2026-08-20T09:00:00.000001Z',
  updatedAt: '2026-08-20T09:00:00.000001Z',
});

export const historicalTransitionImported = builder('HistoricalTransitionImported', {
  ...record,
  surface: 'task.event',
  coordinates: { ...OLD_TASK, eventId: 'evt_0' },
  original: payloadOf({ event_type: 'task.succeeded', payload: {} }),
  transition: 'task.succeeded',
  to: 'succeeded',
});

export const historicalCopyImported = builder('HistoricalCopyImported', {
  ...record,
  surface: 'learning.tools',
  coordinates: { ...OLD_TASK, eventId: 'evt_0', receiptId: 'receipt_0' },
  original: payloadOf({ receipt_id: 'receipt_0', action: 'read_file' }),
  argumentsFidelity: ['text'],
  fingerprint: 'not_recomputable',
});
