import { TaskId, type Association, type ReceiptDocument } from '@counterfoil/contracts';
import type { SightingGroup } from './groups.js';
import { byCreation, type Sighting } from './sighting.js';

/** They don't say the same of what was called, or of how it ended. */
const DISAGREE = 'sightings_disagree';
/** They name different tasks. */
const TASKS_DISAGREE = 'task_association_conflicting';
/** There are more than were read. */
const INCOMPLETE = 'sightings_incomplete';

const CONFLICTING: Association = { kind: 'none', taskId: null, basis: 'conflicting' };

/**
 * One old receipt as all its sightings show it: the document of the canonical one, with the task that any of them says, what they
 * disagree on among the anomalies, and where the others stood. Nothing else is filled in from others (promise 30: nothing is inferred).
 */
export function mergedReceipt({ canonical, sightings, complete }: SightingGroup): ReceiptDocument {
  const { provenance } = canonical;
  if (provenance.kind !== 'imported') return canonical;
  const others = sightings.filter(({ receiptId }) => receiptId !== canonical.receiptId).sort(byCreation);
  if (others.length === 0 && complete) return canonical;
  const anomalies = [...provenance.anomalies, ...anomaliesOf(sightings), ...(complete ? [] : [INCOMPLETE])];
  return {
    ...canonical,
    ...mergedTask(canonical, others),
    provenance: {
      ...provenance,
      anomalies: [...new Set(anomalies)].sort(),
      sightings: [...provenance.sightings, ...others.map(entryOf)],
    },
  };
}

/** Where another sighting stood, and under which of our ids it can be read by itself in the old keys. */
function entryOf({ coordinates, surface, receiptId }: Sighting): Record<string, string | null> {
  return { ...coordinates, surface, ourReceiptId: receiptId };
}

/** What the canonical one says stands; where it says nothing, what the others say as with one voice. */
function mergedTask(canonical: ReceiptDocument, others: readonly Sighting[]): Pick<ReceiptDocument, 'association' | 'taskId'> {
  const { association, taskId } = canonical;
  if (association.taskId !== null || association.basis === CONFLICTING.basis) return { association, taskId };
  const tasks = tasksOf(others);
  if (tasks.size > 1 || others.some((other) => other.association.basis === CONFLICTING.basis)) {
    return { association: CONFLICTING, taskId: null };
  }
  const [task] = tasks;
  if (task === undefined) return { association, taskId };
  const onlyByRows = others.every((other) => other.association.taskId === null || other.surface === 'task.evidence');
  return {
    association: { kind: 'recorded', taskId: task, basis: onlyByRows ? 'task_row' : 'later_copy' },
    // Old ids that are none by our rules stand in the association alone.
    taskId: TaskId.safeParse(task).success ? task : null,
  };
}

const tasksOf = (sightings: readonly Sighting[]): ReadonlySet<string> =>
  new Set(sightings.flatMap(({ association }) => association.taskId ?? []));

/** Whoever says nothing disagrees with nobody; no known status is nothing said. */
function anomaliesOf(sightings: readonly Sighting[]): readonly string[] {
  const differ = (values: readonly (string | null)[]): boolean => new Set(values.filter((value) => value !== null)).size > 1;
  const disagree =
    differ(sightings.map(({ status }) => (status === 'unknown' ? null : status))) ||
    differ(sightings.map(({ tool }) => tool)) ||
    differ(sightings.map(({ operationId }) => operationId));
  return [...(disagree ? [DISAGREE] : []), ...(tasksOf(sightings).size > 1 ? [TASKS_DISAGREE] : [])];
}
