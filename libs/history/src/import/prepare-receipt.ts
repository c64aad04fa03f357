import { historyRecordKey, importedReceiptId, keyed } from '@counterfoil/canonical';
import { redactRecord, secretRuleOf } from '@counterfoil/redaction';
import type { QuarantineReason } from '../quarantine-reasons.js';
import type { Coordinates, ReceiptRecord } from '../recognition.js';
import { historyEvent } from './prepared.js';
import type { ImportContext, Prepared } from './prepared.js';

/** Coordinates without those that redaction would touch: they would stand bare in every event and index (promise 1). */
function withheld(coordinates: Coordinates, redacted: readonly unknown[]): { readonly coordinates: Coordinates; readonly any: boolean } {
  let any = false;
  const kept = Object.entries(coordinates).map(([name, value], index): [string, string | null] => {
    if (value === null || (redacted[index] === value && secretRuleOf(value) === null)) return [name, value];
    any = true;
    return [name, null];
  });
  return { coordinates: Object.fromEntries(kept), any };
}

/**
 * The event of a record that can be imported: redacted here, in one pass with its identifiers, so that a secret which stands in one of
 * them is known in the others.
 *
 * @returns or the reason why the record has to be put aside after all
 */
export function prepareReceipt(record: ReceiptRecord, context: ImportContext): Prepared | { readonly reason: QuarantineReason } {
  const { workspaceId, importKey, importRun } = context;
  if (secretRuleOf(record.toolName) !== null) return { reason: 'secret_in_tool_name' };
  const names = JSON.stringify(Object.values(record.coordinates));
  const inputs = { original: { kind: 'json', text: record.text }, names: { kind: 'json', text: names } } as const;
  const { original, names: redactedNames } = redactRecord(inputs, { key: importKey, known: [], window: Infinity }).payloads;
  if (original === null || redactedNames === null) throw new TypeError('the redaction door gave nothing for a record');
  if (!record.survives(original.json)) return { reason: 'facts_lost' };
  const { coordinates, any } = withheld(record.coordinates, JSON.parse(redactedNames.json) as readonly unknown[]);
  // A plain hash over coordinates with a secret in them could be used to guess it.
  const recordKey = historyRecordKey(importKey.secret, any ? null : record.identity, record.content);
  const contentDigest = keyed(importKey, 'content', record.content);
  const data = {
    workspaceId,
    receiptId: importedReceiptId(recordKey),
    recordKey,
    importRun,
    format: record.format,
    generation: record.generation,
    surface: record.surface,
    coordinates,
    original,
    contentDigest,
    argumentsFidelity: [...record.argumentsFidelity],
    fingerprint: record.fingerprint,
    anomalies: any ? [...record.anomalies, 'identifier_withheld'].sort() : [...record.anomalies],
  };
  const event = historyEvent(context, 'HistoricalReceiptImported', data, record.createdAt);
  return { stream: `history-${workspaceId}/${recordKey}`, event, contentDigest };
}
