import { decodeUtf8, historyRecordKey, keyed } from '@counterfoil/canonical';
import type { KnownSecret, Payload } from '@counterfoil/contracts';
import { redactRecord, secretRuleOf } from '@counterfoil/redaction';
import { digestsOfText } from '../openkyrozen/digests.js';
import { QUARANTINE_REASONS } from '../quarantine-reasons.js';
import type { QuarantineReason } from '../quarantine-reasons.js';
import { withKeyedDigests } from './keyed-digests.js';
import { historyEvent } from './prepared.js';
import type { ImportContext, Prepared } from './prepared.js';
import type { Place, SourceItem } from './source-item.js';

/** A record to be put aside: its text, and what identifies it. */
export interface Rejected {
  readonly reason: QuarantineReason;
  readonly text: string;
  readonly content: string;
  readonly place: Place;
  /** Where in the record, for an entry of it. */
  readonly member: string | null;
  /** Digests over unredacted content in the text, where it was read; see `withKeyedDigests`. */
  readonly digests?: readonly string[];
  /** Secrets of the record that it is an entry of. */
  readonly known?: readonly KnownSecret[];
}

/** Reasons for which the text is no JSON. */
const NO_JSON: ReadonlySet<QuarantineReason> = new Set(['not_json', 'not_a_number', 'infinity', 'control_character', 'line_too_long']);

/** Of a line that is too long so much is kept. Far less than is looked at, so that no secret is cut before it is found. */
const HEAD_LIMIT_BYTES = 2048;

/**
 * The event of a record that is put aside, in a stream named by its content (decision 0004): a second import adds nothing, and a record
 * whose coordinates are taken doesn't meet the one that took them.
 */
export function prepareQuarantine(rejected: Rejected, context: ImportContext): Prepared {
  const { reason, text, member, digests, known = [] } = rejected;
  const { importKey } = context;
  const safe = withKeyedDigests(text, importKey, digests ?? digestsOfText(text));
  const place = member === null ? null : { kind: 'json' as const, text: JSON.stringify(member) };
  const { record, place: shown } = redactRecord(
    { record: { kind: NO_JSON.has(reason) ? 'text' : 'json', text: safe }, place },
    { key: importKey, known },
  ).payloads;
  if (record === null) throw new TypeError('the redaction door gave nothing for a record');
  // A place is made of the record's own keys, which may be anything: it is kept as it is, or not at all.
  const isSafe = member !== null && shown?.json === place?.text && secretRuleOf(member) === null;
  return aside({ ...rejected, member: isSafe ? member : null }, record, context);
}

/** The same for a line that was never held: identified by its digest, and shown by its head. */
export function prepareOverlong(line: Extract<SourceItem, { kind: 'overlong' }>, context: ImportContext): Prepared {
  const { text } = decodeUtf8(line.head);
  const { record } = redactRecord(
    { record: { kind: 'text', text: withKeyedDigests(text, context.importKey) } },
    { key: context.importKey, known: [], limits: { record: HEAD_LIMIT_BYTES } },
  ).payloads;
  if (record === null) throw new TypeError('the redaction door gave nothing for a record');
  const content = `sha256:${line.sha256}:${line.length}`;
  const rejected: Rejected = { reason: 'line_too_long', text, content, place: line.place, member: null };
  // The digest would be over the head alone, which is nobody's text.
  return aside(rejected, { ...record, bytes: line.length, state: 'cut', digest: null }, context);
}

function aside({ reason, content, place, member }: Rejected, record: Payload, context: ImportContext): Prepared {
  const { workspaceId, importKey, importRun } = context;
  const recordKey = historyRecordKey(importKey.secret, null, content);
  const contentDigest = keyed(importKey, 'content', content);
  const detail = QUARANTINE_REASONS[reason];
  const data = { workspaceId, recordKey, importRun, reason, detail, ...place, member, record, contentDigest };
  const event = historyEvent(context, 'HistoricalRecordQuarantined', data, null);
  return { stream: `history-${workspaceId}/q${recordKey}`, event, contentDigest };
}
