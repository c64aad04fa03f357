import type { Coordinates, PutAside, Recognition, Recognised, TaskRecord } from '../recognition.js';
import type { QuarantineReason } from '../quarantine-reasons.js';
import { saidBy } from './columns.js';
import { callRecord } from './call-record.js';
import { digestsIn } from './digests.js';
import { FieldReader } from './field-reader.js';
import { generationOf } from './generation.js';
import { isObject, readJson } from './json-text.js';
import type { JsonObject } from './json-text.js';
import { recognised } from './recognised.js';
import { RecordRefused } from './refused.js';
import { stableText } from './stable-text.js';
import { statusOf } from './statuses.js';
import { FORMAT, TASK_SURFACE } from './surfaces/names.js';

const ENTRY_SURFACE = 'task.evidence';
const JSON_COLUMNS = ['dependencies', 'acceptance', 'checkpoint', 'evidence'] as const;
/** Ids of generation 0a are a digest of the description, or were given; later ones begin with a digest of their scope. */
const SCOPED_ID = /^task_[0-9a-f]{16}_/;

/** Whether an object is a row of the old table of tasks. */
export function isTaskRow(row: JsonObject): boolean {
  const has = (key: string): boolean => Object.hasOwn(row, key);
  return has('description') && has('status') && (has('evidence') || has('checkpoint') || has('acceptance')) && !has('event_type');
}

type Column = { readonly value: unknown } | { readonly reason: QuarantineReason };

/** A column of JSON text, or the value that an exporter decoded it to. */
function columnOf(row: JsonObject, name: string): Column {
  const text = Object.hasOwn(row, name) ? row[name] : null;
  if (typeof text !== 'string') return { value: text ?? null };
  const reading = readJson(text);
  if (!reading.ok) return { reason: reading.reason === 'not_json' ? 'payload_unreadable' : reading.reason };
  if (reading.ambiguity !== null) return { reason: reading.ambiguity };
  // An exporter may have encoded the column once more.
  if (typeof reading.value !== 'string') return { value: reading.value };
  const again = readJson(reading.value);
  return again.ok && again.ambiguity === null ? { value: again.value } : { value: reading.value };
}

interface TaskFacts {
  readonly ids: Coordinates;
  readonly status: string | null;
  readonly createdAt: string | null;
  readonly updatedAt: string | null;
}

function readTask(row: JsonObject, anomalies: Set<string>): TaskFacts {
  const reader = new FieldReader(row, anomalies);
  const status = reader.value('status');
  if (status !== null && typeof status !== 'string') throw new RecordRefused('wrong_type');
  return {
    ids: {
      taskId: reader.identifier('id'),
      parentId: reader.identifier('parent_id'),
      workspaceId: reader.identifier('workspace_id'),
      userId: reader.identifier('user_id'),
      sessionId: reader.identifier('session_id'),
    },
    status,
    createdAt: reader.time('created_at'),
    updatedAt: reader.time('updated_at'),
  };
}

/** @throws RecordRefused for a row whose ids, status or times can't be read */
export function recogniseTask(row: JsonObject, noted: readonly string[]): Recognition {
  const anomalies = new Set(noted);
  const facts = readTask(row, anomalies);
  const columns = Object.fromEntries(JSON_COLUMNS.map((name) => [name, columnOf(row, name)])) as Record<
    (typeof JSON_COLUMNS)[number],
    Column
  >;
  for (const name of JSON_COLUMNS) if ('reason' in columns[name]) anomalies.add(`${name}_unreadable`);
  if (facts.status !== null && statusOf(facts.status) === null) anomalies.add('status_unknown');
  const evidence = columns.evidence;
  const entries = 'value' in evidence && Array.isArray(evidence.value) ? (evidence.value as readonly unknown[]) : [];
  if ('value' in evidence && evidence.value !== null && !Array.isArray(evidence.value)) anomalies.add('evidence_not_a_list');
  const whole = taskRecord(row, facts, columns, entries, anomalies);
  if ('reason' in evidence) return recognised(whole, 1, () => [aside(evidence.reason, String(row['evidence']), '/evidence')]);
  return recognised(whole, entries.length, () => recogniseEvidence(entries, facts));
}

function* recogniseEvidence(entries: readonly unknown[], facts: TaskFacts): Generator<Recognised, void, undefined> {
  for (const [index, entry] of entries.entries()) yield recogniseEntry(entry, index, facts);
}

function taskRecord(
  row: JsonObject,
  facts: TaskFacts,
  columns: Readonly<Record<string, Column>>,
  entries: readonly unknown[],
  anomalies: ReadonlySet<string>,
): TaskRecord {
  const { ids, status, createdAt, updatedAt } = facts;
  const decoded = Object.fromEntries(
    Object.entries(columns).flatMap(([name, column]) => (Object.hasOwn(row, name) && 'value' in column ? [[name, column.value]] : [])),
  );
  // Each piece of evidence is a record of its own: here it would only be cut. What is no list is a record of nothing, and stays.
  const isApart = Array.isArray(decoded['evidence']) || !Object.hasOwn(decoded, 'evidence');
  const kept = Object.fromEntries(Object.entries({ ...row, ...decoded }).filter(([name]) => name !== 'evidence' || !isApart));
  const text = stableText(kept);
  const content = stableText(saidBy({ ...row, ...decoded }));
  const marks = new Set([...anomalies, ...(content.hasLoneSurrogate ? ['lone_surrogate'] : [])]);
  const key = { format: FORMAT, surface: TASK_SURFACE, workspace: ids['workspaceId'] ?? null, user: ids['userId'] ?? null };
  return {
    kind: 'task',
    format: FORMAT,
    generation: generationOfTask(ids['taskId'] ?? null, kept, entries),
    surface: TASK_SURFACE,
    text: text.text,
    // Ids of generation 0a are shared by users: a task is known by its whole scope.
    identity: ids['taskId'] == null ? null : { ...key, session: ids['sessionId'] ?? null, task: ids['taskId'] },
    coordinates: { ...ids, createdAt },
    content: content.text,
    createdAt,
    anomalies: [...marks].sort(),
    digests: digestsIn(kept),
    survives: (stored) => survives(stored, status),
    status: statusOf(status),
    recordedStatus: status,
    evidenceCount: entries.length,
    updatedAt,
  };
}

function survives(stored: string, status: string | null): boolean {
  const row: unknown = JSON.parse(stored);
  return isObject(row) && (Object.hasOwn(row, 'status') ? row['status'] : null) === status;
}

function aside(reason: QuarantineReason, text: string, member: string): PutAside {
  return { kind: 'quarantine', surface: ENTRY_SURFACE, reason, entry: { text, member } };
}

/** One piece of evidence: a receipt of its own, known by the row, its place in there and what it says. */
function recogniseEntry(entry: unknown, index: number, { ids }: TaskFacts): Recognised {
  const text = JSON.stringify(entry);
  const member = `/evidence/${String(index)}`;
  if (!isObject(entry)) return aside('payload_unreadable', text, member);
  const addressed = typeof entry['task_id'] === 'string' ? 'yes' : null;
  const { taskId, workspaceId, userId, sessionId } = ids;
  try {
    return callRecord({
      kind: 'receipt',
      surface: ENTRY_SURFACE,
      record: entry,
      row: null,
      owner: { workspaceId: workspaceId ?? null, userId: userId ?? null, sessionId: sessionId ?? null, rowTaskId: taskId ?? null },
      more: { evidenceIndex: String(index), addressed },
      // The place may hold another piece later: the old runtime could reset a task. So the content is part of what it is known by.
      identify: () => null,
      anomalies: [],
    });
  } catch (error) {
    if (error instanceof RecordRefused) return aside(error.reason, text, member);
    throw error;
  }
}

const ORDER = ['0a', '0b', '0c', '1', '1b', '2', '3'];

/** The latest generation that a row shows a trace of: its evidence, its contract, the form of its id. */
function generationOfTask(taskId: string | null, row: JsonObject, evidence: readonly unknown[]): string {
  const text = JSON.stringify(row);
  const traces = new Set<string>();
  for (const entry of evidence) if (isObject(entry)) traces.add(generationOf(ENTRY_SURFACE, entry));
  if (taskId !== null && SCOPED_ID.test(taskId)) traces.add('0b');
  if (text.includes('ordered_plan')) traces.add('1');
  if (text.includes('args_sha256')) traces.add('2');
  return ORDER.findLast((generation) => traces.has(generation)) ?? '0a';
}
