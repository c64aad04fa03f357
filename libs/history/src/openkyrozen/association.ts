import type { Association, EventData } from '@counterfoil/contracts';

type Imported = Pick<EventData<'HistoricalReceiptImported'>, 'coordinates' | 'surface' | 'generation'>;

/**
 * The task that a record says, and where it says it; none where it says two (promise 30: as recorded, never inferred). An entry of
 * generation 0b names the task that it was addressed to. Later ones were matched to the row that they stand in by the old rules, so
 * that the row's word is all there is.
 */
export function associationOf({ coordinates, surface, generation }: Imported): Association {
  const taskId = coordinates['taskId'] ?? null;
  if ('rowTaskId' in coordinates) return { kind: 'none', taskId: null, basis: 'conflicting' };
  if (taskId === null) return { kind: 'none', taskId: null };
  return { kind: 'recorded', taskId, basis: basisOf(surface, generation, coordinates) };
}

function basisOf(surface: string, generation: string, coordinates: Imported['coordinates']): string {
  if (generation === '3') return 'explicit';
  if (surface !== 'evidence' && surface !== 'task.evidence') return 'receipt';
  return coordinates['addressed'] === 'yes' && (coordinates['receiptId'] ?? null) === null ? 'receipt' : 'task_row';
}
