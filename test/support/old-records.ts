import { randomUUID } from 'node:crypto';
import type { CounterfoilEvent } from '@counterfoil/contracts';
import type { Ledger } from '@counterfoil/ledger';

/**
 * Appends old records to their stream, in the workspace `default`, as an importer leaves them; gives the token of the last one's position.
 *
 * @param occurredAt the records' own time
 */
export async function appendRecords(
  ledger: Ledger,
  recordKey: string,
  events: readonly CounterfoilEvent[],
  occurredAt: string | null = null,
): Promise<string> {
  const stream = `history-default/${recordKey}`;
  let token = '';
  for (const { type, data } of events) {
    const metadata = {
      recordedAt: new Date().toISOString(),
      occurredAt,
      actor: { principal: 'service:importer', keyId: 'test' },
      correlationId: null,
      causationId: null,
      traceparent: null,
    };
    const expected = (await ledger.store.streamHead(stream))?.revision ?? 'no_stream';
    const record = { ...data, workspaceId: 'default', recordKey };
    const appended = await ledger.store.append({
      stream,
      expected,
      events: [{ id: randomUUID(), type, version: 1, data: record, metadata }],
    });
    token = ledger.token(appended.position);
  }
  return token;
}
