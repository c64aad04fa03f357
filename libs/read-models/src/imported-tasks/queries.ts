import type { ImportedTaskDocument, ImportedTaskReading, TaskStatus, TransitionDocument } from '@counterfoil/contracts';
import type { Collection, IndexSpec } from '../port.js';
import { cursorBinding } from '../shared/cursor.js';
import { importedKey, isUnkept, recordedTaskKey } from '../shared/imported-record.js';
import { findPage, type FoundPage, type ListPlan, type PageRequest } from '../shared/page.js';
import { inScope, type ReadScope } from '../shared/scope.js';
import { findTransitions } from '../task-transitions/queries.js';
import type { TaskListQuery } from '../tasks/list-query.js';
import { IMPORTED_TASK_INDEXES as by, importedTaskFields } from './projection.js';

export interface ImportedTaskFilters {
  readonly user?: string | undefined;
  /** As recorded; a session of ours that has its name is another one. */
  readonly session?: string | undefined;
  /** In our words. A row whose recorded word is none that is known is in none of them. */
  readonly status?: readonly TaskStatus[] | undefined;
  /** As recorded: several rows may have it. */
  readonly task?: string | undefined;
}

/** The collections that an imported task's answer is joined from. */
export interface ImportedTaskSources {
  readonly importedTasks: Collection<ImportedTaskDocument>;
  readonly taskTransitions: Collection<TransitionDocument>;
}

/** Takes a parsed query string of GET /v1/tasks with `provenance=imported` apart. */
export function splitImportedTaskQuery(query: TaskListQuery): { readonly filters: ImportedTaskFilters; readonly page: PageRequest } {
  const { user, session, status, task, cursor, limit } = query;
  return { filters: { user, session, status, task }, page: { cursor, limit } };
}

/**
 * GET /v1/tasks?provenance=imported: one page, the last imported first. An agent sees those of its own user; one that names no user
 * belongs to the workspace alone.
 *
 * @throws DomainError `invalid_cursor`, `cursor_mismatch`, `invalid_request` (limit)
 */
export async function findImportedTasks(
  sources: ImportedTaskSources,
  scope: ReadScope,
  filters: ImportedTaskFilters = {},
  page: PageRequest = {},
): Promise<FoundPage<ImportedTaskReading>> {
  const { user, session, status, task } = filters;
  const values = [user, session, status?.toSorted(), task].map((value) => value ?? null);
  const binding = cursorBinding(['imported-tasks', scope.workspaceId, scope.userId, ...values]);
  const found = await findPage(sources.importedTasks, planImportedTasks(scope, filters), binding, page, importedTaskFields);
  return { items: await readings(sources, scope, found.items), nextCursor: found.nextCursor };
}

/** GET /v1/imported-tasks/{recordKey}. Null if there is none, and just so if it is another workspace's, or for agents not their user's. */
export async function getImportedTask(
  sources: ImportedTaskSources,
  scope: ReadScope,
  recordKey: string,
): Promise<ImportedTaskReading | null> {
  const doc = (await sources.importedTasks.get(importedKey(scope.workspaceId, recordKey)))?.doc ?? null;
  if (doc === null || !inScope(scope, doc)) return null;
  return (await readings(sources, scope, [doc]))[0] ?? null;
}

/** The plan of a list; exported for its spec. */
export function planImportedTasks(scope: ReadScope, filters: ImportedTaskFilters): ListPlan {
  const index = narrowest(scope, filters);
  return { index: index.name, wheres: wheresOf(scope, filters, index), order: ['importedPosition'], direction: 'desc' };
}

function wheresOf(scope: ReadScope, filters: ImportedTaskFilters, index: IndexSpec): ListPlan['wheres'] {
  const { user = scope.userId, session, status = [], task } = filters;
  // An agent that asks for another user is answered as if that one had nothing.
  if (scope.userId !== null && user !== scope.userId) return [];
  const where = {
    workspace: { eq: scope.workspaceId },
    ...(user === null ? {} : { user: { eq: user } }),
    ...(session === undefined ? {} : { session: { eq: session } }),
    ...(task === undefined ? {} : { task: { eq: task } }),
  };
  if (status.length === 0) return [where];
  // One run for each status, where the index is by status; else they are told apart along the way.
  return index === by.status ? status.map((eq) => ({ ...where, status: { eq } })) : [{ ...where, status: { in: status } }];
}

function narrowest(scope: ReadScope, { user, session, status, task }: ImportedTaskFilters): IndexSpec {
  if (task !== undefined) return by.task;
  if (session !== undefined) return by.session;
  if (scope.userId !== null || user !== undefined) return by.user;
  return status === undefined ? by.position : by.status;
}

/** One task after the other, so that never more than one task's transitions are held; several rows of one task are looked up once. */
async function readings(
  sources: ImportedTaskSources,
  scope: ReadScope,
  tasks: readonly ImportedTaskDocument[],
): Promise<readonly ImportedTaskReading[]> {
  const known = new Map<string, Joined>();
  const read: ImportedTaskReading[] = [];
  for (const { importedPosition: _position, contentDigest: _digest, ...task } of tasks) {
    const key = recordedTaskKey(task);
    const joined = key === null ? untold(task) : (known.get(key) ?? (await transitionsOf(sources, scope, key)));
    if (key !== null) known.set(key, joined);
    read.push({ ...task, ...joined });
  }
  return read;
}

type Joined = Pick<ImportedTaskReading, 'transitions' | 'transitionsComplete'>;

/** Of a row that names no task there are none; of one whose names could not all be kept it can't be told. */
const untold = ({ anomalies }: Pick<ImportedTaskDocument, 'anomalies'>): Joined => ({
  transitions: [],
  transitionsComplete: !isUnkept(anomalies),
});

async function transitionsOf({ taskTransitions }: ImportedTaskSources, scope: ReadScope, key: string): Promise<Joined> {
  const { transitions, complete } = await findTransitions(taskTransitions, scope, key);
  return {
    transitions: transitions.map(({ transition, to, createdAt, recordKey }) => ({ transition, to, createdAt, recordKey })),
    transitionsComplete: complete,
  };
}
