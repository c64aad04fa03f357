import type { PlanDocument, ReceiptDocument, SessionDocument, TaskDocument, TaskReading, TaskStatus } from '@counterfoil/contracts';
import { planKey } from '../plans/projection.js';
import type { Collection, Condition, IndexSpec } from '../port.js';
import { sessionKey } from '../sessions/projection.js';
import { cursorBinding } from '../shared/cursor.js';
import { findPage, type FoundPage, type ListPlan, type PageRequest } from '../shared/page.js';
import { inScope, type ReadScope } from '../shared/scope.js';
import type { TaskListQuery } from './list-query.js';
import { TASK_INDEXES as by, taskFields } from './projection.js';
import { taskReading, type ReceiptFacts } from './reading.js';
import { taskKey, type TaskRef } from './touched.js';

export interface TaskFilters {
  readonly session?: string | undefined;
  readonly plan?: string | undefined;
  readonly status?: readonly TaskStatus[] | undefined;
}

/** The collections that a task's answer is joined from. */
export interface TaskSources {
  readonly tasks: Collection<TaskDocument>;
  readonly plans: Collection<PlanDocument>;
  readonly sessions: Collection<SessionDocument>;
  readonly receipts: Collection<ReceiptDocument>;
}

/** Takes a parsed query string of live tasks apart. */
export function splitTaskQuery(query: TaskListQuery): { readonly filters: TaskFilters; readonly page: PageRequest } {
  const { session, plan, status, cursor, limit } = query;
  return { filters: { session, plan, status }, page: { cursor, limit } };
}

/**
 * GET /v1/tasks: one page, the last added first; those of one plan by their ids, backwards (their order in the plan stands in its
 * document).
 *
 * @throws DomainError `invalid_cursor`, `cursor_mismatch`, `invalid_request` (limit)
 */
export async function findTasks(
  sources: TaskSources,
  scope: ReadScope,
  filters: TaskFilters = {},
  page: PageRequest = {},
): Promise<FoundPage<TaskReading>> {
  const values = [filters.session, filters.plan, filters.status?.toSorted()].map((value) => value ?? null);
  const binding = cursorBinding(['tasks', scope.workspaceId, scope.userId, ...values]);
  const found = await findPage(sources.tasks, planTasks(scope, filters), binding, page, taskFields);
  return { items: await readings(sources, found.items), nextCursor: found.nextCursor };
}

/** One task. Null if there is none, and just so if it is another workspace's, or for agents another user's (promise 14). */
export async function readTask(sources: TaskSources, scope: ReadScope, task: TaskRef): Promise<TaskReading | null> {
  const doc = (await sources.tasks.get(taskKey(scope.workspaceId, task)))?.doc ?? null;
  if (doc === null || !inScope(scope, doc)) return null;
  return (await readings(sources, [doc]))[0] ?? null;
}

/** The plan of a list; exported for its spec. */
export function planTasks(scope: ReadScope, filters: TaskFilters): ListPlan {
  const { session, plan, status = [] } = filters;
  const index = narrowest(scope, filters);
  const where = {
    workspace: { eq: scope.workspaceId },
    ...(scope.userId === null ? {} : { user: { eq: scope.userId } }),
    ...(session === undefined ? {} : { session: { eq: session } }),
    ...(plan === undefined ? {} : { plan: { eq: plan } }),
  };
  const inStatus = (condition: Condition) => ({ ...where, status: condition });
  // One run for each status, where the index is by status; else they are told apart along the way.
  const wheres = status.length === 0 ? [where] : index === by.status ? status.map((eq) => inStatus({ eq })) : [inStatus({ in: status })];
  return { index: index.name, wheres, order: ['addedPosition'], direction: 'desc' };
}

function narrowest(scope: ReadScope, { session, plan, status }: TaskFilters): IndexSpec {
  if (session !== undefined) return plan === undefined ? by.session : by.sessionPlan;
  if (plan !== undefined) return by.plan;
  if (scope.userId !== null) return by.user;
  return status === undefined ? by.position : by.status;
}

/** Joins tasks with what they are read with: a look-up for each kind of document, however many tasks there are. */
async function readings(sources: TaskSources, tasks: readonly TaskDocument[]): Promise<readonly TaskReading[]> {
  const planOf = (task: TaskDocument): string => planKey(task.workspaceId, task.sessionId, task.planId);
  const sessionOf = (task: TaskDocument): string => sessionKey(task.workspaceId, task.sessionId);
  const [plans, sessions, receipts] = await Promise.all([
    sources.plans.getMany([...new Set(tasks.map(planOf))]),
    sources.sessions.getMany([...new Set(tasks.map(sessionOf))]),
    receiptFacts(sources.receipts, [...new Set(tasks.flatMap(({ lastReceipts }) => lastReceipts))]),
  ]);
  return tasks.map((task) =>
    taskReading(
      task,
      plans.get(planOf(task))?.doc ?? null,
      sessions.get(sessionOf(task))?.doc ?? null,
      task.lastReceipts.flatMap((receiptId) => receipts.get(receiptId) ?? []),
    ),
  );
}

/** Receipts may be large, and a page names thousands: only so many are held at a time. */
const RECEIPTS_AT_ONCE = 200;

async function receiptFacts(receipts: Collection<ReceiptDocument>, ids: readonly string[]): Promise<ReadonlyMap<string, ReceiptFacts>> {
  const facts = new Map<string, ReceiptFacts>();
  for (let from = 0; from < ids.length; from += RECEIPTS_AT_ONCE) {
    for (const { doc } of (await receipts.getMany(ids.slice(from, from + RECEIPTS_AT_ONCE))).values()) {
      if (doc !== null) facts.set(doc.receiptId, { receiptId: doc.receiptId, status: doc.status, operationId: doc.operationId });
    }
  }
  return facts;
}
