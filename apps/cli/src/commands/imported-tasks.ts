import type { ImportedTaskReading, Payload } from '@counterfoil/contracts';
import { table } from '../output.js';

/** Tasks of old systems: with the word that was recorded, which is not always one of ours. */
export function importedTaskTable(tasks: readonly ImportedTaskReading[]): string {
  const rows = tasks.map((task) => [
    task.recordKey,
    task.taskId,
    task.recordedStatus,
    descriptionIn(task.original),
    task.sessionId ?? task.coordinates['sessionId'] ?? null,
    String(task.evidenceCount),
  ]);
  return table(['record', 'task', 'recorded status', 'description', 'session', 'evidence'], rows);
}

/** What the row said, as far as it was kept; null where it was cut before, or says none. */
function descriptionIn({ json }: Payload): string | null {
  const row: unknown = JSON.parse(json);
  if (typeof row !== 'object' || row === null || !('description' in row)) return null;
  return typeof row.description === 'string' ? row.description : null;
}
