import type { Condition, IndexSpec } from '../port.js';
import { cursorBinding } from '../shared/cursor.js';
import type { ListPlan } from '../shared/page.js';
import type { ReadScope } from '../shared/scope.js';
import type { ReceiptFilters } from './filters.js';
import { toolText } from '../shared/tool-text.js';
import { RECEIPT_INDEXES as by } from './indexes.js';

type Where = Readonly<Record<string, Condition>>;

/**
 * Chooses the one index that serves a list of receipts: the narrowest of those whose field is filtered. What the other filters ask is
 * checked along the way. The order is newest first by append position; where a time range leads, by our recorded time and then by
 * position, since no index can hold a range over one field in the order of another.
 */
export function planReceipts(scope: ReadScope, filters: ReceiptFilters): ListPlan {
  if (filters.order === 'ended') return planEnded(scope, filters);
  const index = narrowest(scope, filters);
  const where = conditions(scope, filters);
  const status = filters.status ?? [];
  const wheres = index === by.status && status.length > 1 ? status.map((one) => ({ ...where, status: { eq: one } })) : [where];
  const order = index === by.time ? ['requestedAt', 'requestedPosition'] : ['requestedPosition'];
  return { index: index.name, wheres, order, direction: 'desc' };
}

/** Open calls have no place in the order in which calls ended. */
function planEnded(scope: ReadScope, filters: ReceiptFilters): ListPlan {
  const where = { ...conditions(scope, filters), endedPosition: { gt: 0 } };
  return { index: by.sessionEnded.name, wheres: [where], order: ['endedPosition'], direction: 'desc' };
}

/** From a handful of receipts per value to all of them. */
function narrowest(scope: ReadScope, filters: ReceiptFilters): IndexSpec {
  const given = (value: unknown): boolean => value !== undefined;
  const choices: readonly (readonly [boolean, IndexSpec])[] = [
    [given(filters.operation), by.operation],
    [given(filters.task), by.task],
    [given(filters.session) && given(filters.turn), by.sessionTurn],
    [given(filters.session), by.session],
    [given(filters.root), by.root],
    [given(filters.from), by.time],
    [given(filters.turn), by.turn],
    [given(filters.status), by.status],
    [filters.verification === 'failed' || filters.verification === 'verified', by.verification],
    [given(filters.toolSource), by.tool],
    [given(filters.tool), by.toolName],
    [given(filters.class), by.sideEffects],
    [given(filters.verification), by.verification],
    [given(filters.provenance), by.provenance],
    [scope.userId !== null, by.user],
    // Without a beginning a time range is as wide as the list itself.
    [given(filters.to), by.time],
  ];
  return choices.find(([applies]) => applies)?.[1] ?? by.position;
}

function conditions(scope: ReadScope, filters: ReceiptFilters): Where {
  const { tool, toolSource, status, from, to } = filters;
  return {
    workspace: { eq: scope.workspaceId },
    ...(scope.userId === null ? {} : { user: { eq: scope.userId } }),
    ...equal('session', filters.session),
    ...equal('root', filters.root),
    ...equal('turn', filters.turn),
    ...equal('task', filters.task),
    ...(toolSource === undefined ? equal('toolName', tool) : equal('tool', tool === undefined ? undefined : toolText(toolSource, tool))),
    ...(status === undefined ? {} : { status: oneOf(status) }),
    ...equal('verification', filters.verification),
    ...equal('sideEffects', filters.class),
    ...equal('operation', filters.operation),
    ...equal('provenance', filters.provenance),
    ...(from === undefined && to === undefined ? {} : { requestedAt: range(from, to) }),
  };
}

const equal = (field: string, value: string | undefined): Where => (value === undefined ? {} : { [field]: { eq: value } });

function oneOf(values: readonly string[]): Condition {
  const [only] = values;
  return values.length === 1 && only !== undefined ? { eq: only } : { in: values };
}

/** Half-open, so that ranges which meet share nothing. */
function range(from: number | undefined, to: number | undefined): Condition {
  return { ...(from === undefined ? {} : { gte: from }), ...(to === undefined ? {} : { lt: to }) };
}

/** A cursor belongs to the scope and the filters that it was given for; the order of several statuses makes no difference. */
export function receiptsBinding(scope: ReadScope, filters: ReceiptFilters): string {
  const { session, root, turn, task, tool, toolSource, status, verification, operation, from, to, provenance, order } = filters;
  const tools = [tool, toolSource, filters.class];
  const values = [session, root, turn, task, ...tools, status?.toSorted(), verification, operation, from, to, provenance, order];
  return cursorBinding(['receipts', scope.workspaceId, scope.userId, ...values.map((value) => value ?? null)]);
}

/** The sightings of old receipt ids: one id after the other, and of each as they were imported. */
export function planSightings(scope: ReadScope, origins: readonly string[], upTo: number | null): ListPlan {
  const user: Where = scope.userId === null ? {} : { user: { eq: scope.userId } };
  return {
    index: by.origin.name,
    wheres: [{ workspace: { eq: scope.workspaceId }, originReceipt: { in: origins }, ...user, ...takenUpTo(upTo) }],
    order: ['originReceipt', 'requestedPosition'],
    direction: 'asc',
  };
}

/** The sightings of one old receipt id that a list finds, in the list's direction. */
export function planMatching(list: ListPlan, origin: string, upTo: number | null): ListPlan {
  const wheres = list.wheres.map((where) => ({ ...where, originReceipt: { eq: origin }, ...takenUpTo(upTo) }));
  return { index: by.origin.name, wheres, order: ['requestedPosition'], direction: list.direction };
}

const takenUpTo = (position: number | null): Where => (position === null ? {} : { requestedPosition: { lte: position } });
