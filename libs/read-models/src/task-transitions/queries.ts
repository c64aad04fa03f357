import type { TransitionDocument } from '@counterfoil/contracts';
import type { Collection } from '../port.js';
import type { ReadScope } from '../shared/scope.js';
import { TRANSITION_INDEXES as by } from './projection.js';

/** Far more than any task went through; what is over is said, not silently left out. */
export const TRANSITIONS_MAX = 500;

export interface FoundTransitions {
  /** Oldest first, then by record key. */
  readonly transitions: readonly TransitionDocument[];
  /** False if there are more than were read. */
  readonly complete: boolean;
}

/**
 * What the old event logs that were imported say of one task.
 *
 * @param task its key, see recordedTaskKey
 */
export async function findTransitions(
  collection: Collection<TransitionDocument>,
  scope: ReadScope,
  task: string,
): Promise<FoundTransitions> {
  const found = await collection.find({
    index: by.task.name,
    where: {
      workspace: { eq: scope.workspaceId },
      task: { eq: task },
      ...(scope.userId === null ? {} : { user: { eq: scope.userId } }),
    },
    order: ['createdAt', 'recordKey', 'user'],
    direction: 'asc',
    limit: TRANSITIONS_MAX + 1,
  });
  return { transitions: found.slice(0, TRANSITIONS_MAX).map(({ doc }) => doc), complete: found.length <= TRANSITIONS_MAX };
}
