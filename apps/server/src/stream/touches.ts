import { isLedgerEvent, type LedgerEvent, type RecordedEvent } from '@counterfoil/contracts';
import { approvalsProjection, receiptsProjection, tasksProjection, touchedIds, type Projection } from '@counterfoil/read-models';

/** What a stream speaks of: the names of its events. */
export const STREAM_KINDS = ['receipt', 'approval', 'task'] as const;
export type StreamKind = (typeof STREAM_KINDS)[number];

/** A document that an event touches, by the id that it has in its read model. */
export interface Touch {
  readonly kind: StreamKind;
  readonly id: string;
}

const PROJECTIONS: Readonly<Record<StreamKind, Pick<Projection<unknown>, 'idOf'>>> = {
  receipt: receiptsProjection,
  approval: approvalsProjection,
  task: tasksProjection,
};

/**
 * The documents that the events of one position touch, each once: receipts first, then approvals, then tasks. Which they are, the
 * projections say, so that a stream tells of a change exactly when the read models have one. Pure.
 */
export function touchesOf(events: readonly RecordedEvent[], kinds: ReadonlySet<StreamKind>): readonly Touch[] {
  const known = events.filter(isLedgerEvent);
  return STREAM_KINDS.filter((kind) => kinds.has(kind)).flatMap((kind) => touchesOfKind(known, kind));
}

function touchesOfKind(events: readonly LedgerEvent[], kind: StreamKind): readonly Touch[] {
  const ids = new Set(events.flatMap((event) => idsOf(event, kind)));
  return [...ids].map((id) => ({ kind, id }));
}

/** What a projection can't make anything of, it parks: no document has it, and there is nothing to tell. */
function idsOf(event: LedgerEvent, kind: StreamKind): readonly string[] {
  try {
    return touchedIds(PROJECTIONS[kind], event);
  } catch {
    return [];
  }
}
