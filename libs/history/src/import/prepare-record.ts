import { historyRecordKey, importedReceiptId, keyed } from '@counterfoil/canonical';
import type { FingerprintKey } from '@counterfoil/canonical';
import type { EventData, KnownSecret, NewEvent, Payload } from '@counterfoil/contracts';
import { redactRecord, secretRuleOf } from '@counterfoil/redaction';
import type { QuarantineReason } from '../quarantine-reasons.js';
import type { Coordinates, ImportableRecord } from '../recognition.js';
import { withKeyedDigests } from './keyed-digests.js';
import { membersAsTexts } from './members-as-texts.js';
import { historyEvent } from './prepared.js';
import type { ImportContext, Prepared } from './prepared.js';

type Common = Omit<EventData<'HistoricalTransitionImported'>, 'transition' | 'to'>;

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
 * @param known secrets of the record that this one is an entry of
 * @returns or the reason why the record has to be put aside after all
 */
export function prepareRecord(
  record: ImportableRecord,
  context: ImportContext,
  known: readonly KnownSecret[] = [],
): Prepared | { readonly reason: QuarantineReason } {
  const { workspaceId, importKey } = context;
  if ('toolName' in record && secretRuleOf(record.toolName) !== null) return { reason: 'secret_in_tool_name' };
  const redacted = redact(record, importKey, known);
  if (redacted === null) return { reason: 'facts_lost' };
  const { original, names } = redacted;
  const { coordinates, any } = withheld(record.coordinates, names);
  // A plain hash over coordinates with a secret in them could be used to guess it.
  const recordKey = historyRecordKey(importKey.secret, any ? null : record.identity, record.content);
  const contentDigest = keyed(importKey, 'content', record.content);
  const event = eventOf(record, context, commonOf(record, context, { recordKey, contentDigest, coordinates, any, original }));
  return { stream: `history-${workspaceId}/${recordKey}`, event, contentDigest, isRewritable: record.kind === 'task' };
}

interface Redacted {
  readonly original: Payload;
  /** The coordinates, in their order. */
  readonly names: readonly unknown[];
}

/** Depths at which longer members are made texts, where a record would lose what it says to the cut: the deepest first. */
const DEPTHS = [4, 3, 2] as const;

/** The record in the form in which it is stored; null if that would not say any more what the record says. */
function redact(record: ImportableRecord, key: FingerprintKey, known: readonly KnownSecret[]): Redacted | null {
  const text = withKeyedDigests(record.text, key, record.digests);
  const names = JSON.stringify(Object.values(record.coordinates));
  const through = (json: string): Redacted => {
    const inputs = { original: { kind: 'json', text: json }, names: { kind: 'json', text: names } } as const;
    const { original, names: safe } = redactRecord(inputs, { key, known, window: Infinity }).payloads;
    if (original === null || safe === null) throw new TypeError('the redaction door gave nothing for a record');
    return { original, names: JSON.parse(safe.json) as readonly unknown[] };
  };
  const whole = through(text);
  if (record.survives(whole.original.json)) return whole;
  if (whole.original.state !== 'cut') return null;
  for (const depth of DEPTHS) {
    const { original, names: safe } = through(membersAsTexts(text, depth));
    // Size and digest are those of what was recorded.
    if (record.survives(original.json))
      return { original: { ...original, bytes: whole.original.bytes, digest: whole.original.digest }, names: safe };
  }
  return null;
}

interface Stored {
  readonly recordKey: string;
  readonly contentDigest: string;
  readonly coordinates: Coordinates;
  /** Whether a coordinate was withheld. */
  readonly any: boolean;
  readonly original: Payload;
}

function commonOf(record: ImportableRecord, { workspaceId, importRun, given }: ImportContext, stored: Stored): Common {
  const { recordKey, contentDigest, coordinates, any, original } = stored;
  const { format, generation, surface } = record;
  const marks = [...record.anomalies, ...(any ? ['identifier_withheld'] : [])].sort();
  const names = given !== undefined && (given.userId !== null || given.sessionId !== null) ? { given } : {};
  // The order of the keys is that of the first version's events, whose bytes are hashed by name and not by place.
  return {
    workspaceId,
    recordKey,
    importRun,
    format,
    generation,
    surface,
    coordinates: { ...coordinates },
    original,
    contentDigest,
    anomalies: marks,
    ...names,
  };
}

function eventOf(record: ImportableRecord, context: ImportContext, common: Common): NewEvent {
  switch (record.kind) {
    case 'receipt': {
      const { argumentsFidelity, fingerprint } = record;
      const data = { ...common, receiptId: importedReceiptId(common.recordKey), argumentsFidelity: [...argumentsFidelity], fingerprint };
      return historyEvent(context, 'HistoricalReceiptImported', data, record.createdAt);
    }
    case 'copy': {
      const { argumentsFidelity, fingerprint } = record;
      const data = { ...common, argumentsFidelity: [...argumentsFidelity], fingerprint };
      return historyEvent(context, 'HistoricalCopyImported', data, record.createdAt);
    }
    case 'task': {
      const { status, recordedStatus, evidenceCount, createdAt, updatedAt } = record;
      const data = { ...common, status, recordedStatus, evidenceCount, createdAt, updatedAt };
      return historyEvent(context, 'HistoricalTaskImported', data, createdAt, [common.contentDigest]);
    }
    case 'transition': {
      const { transition, to } = record;
      return historyEvent(context, 'HistoricalTransitionImported', { ...common, transition, to }, record.createdAt);
    }
  }
}

/** The secrets in a whole record, for its entries: what is redacted by its key in one of them is known in the others. */
export function secretsIn(text: string, { importKey }: ImportContext): readonly KnownSecret[] {
  return redactRecord({ record: { kind: 'json', text } }, { key: importKey, known: [], window: Infinity }).learned;
}
