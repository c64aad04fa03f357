import type { Payload, ReceiptDocument } from '@counterfoil/contracts';
import { parsed, recordedReceipt, shownValues, type OldReceipt } from './old-record.js';

/** The keys of an old receipt (generation 1), in the order in which they were written. */
export const COMPAT_KEYS = [
  'receipt_id',
  'operation_id',
  'action',
  'args',
  'authorized',
  'started_at',
  'completed_at',
  'success',
  'result',
  'failure',
  'exit_code',
  'verified_effect',
  'acceptance',
  'task_id',
] as const;

/** For showing only: nothing that is sent back under these keys has any effect. */
export interface CompatView {
  readonly [key: string]: unknown;
  /**
   * Ours: true if anything here was cut or left out to fit a bound, so that a reader knows that it doesn't see all that was recorded. No
   * old receipt has such a key; a record that has it all the same keeps it under the next free one of `recorded_cut`,
   * `recorded_recorded_cut` and so on.
   */
  readonly cut: boolean;
}

/**
 * `?view=compat` (design §6): of an imported receipt, and of one that came over the legacy adapter, every key of its old record with the
 * value as it was recorded, up to redaction and the payload bound, and none that it never had; of any other the keys of COMPAT_KEYS,
 * derived. A record that was cut so deep that it can't be read again is derived too, and marked as cut.
 */
export function compatView(doc: ReceiptDocument): CompatView {
  const recorded = recordedReceipt(doc);
  if (recorded === null || doc.original === null) return derived(doc);
  const { values, whole } = shownValues(recorded);
  const entries = inOldOrder([...values.keys()]).map((key): [string, unknown] => [
    key === 'cut' ? freeName(recorded) : key,
    values.get(key),
  ]);
  // Entries, since assigning to a key named __proto__ would lose it.
  return { ...Object.fromEntries(entries), cut: doc.original.state !== 'whole' || !whole };
}

/** The known keys first, in the order in which old receipts had them. */
function inOldOrder(keys: readonly string[]): readonly string[] {
  const known: readonly string[] = COMPAT_KEYS;
  return [...known.filter((key) => keys.includes(key)), ...keys.filter((key) => !known.includes(key))];
}

function freeName(recorded: OldReceipt): string {
  let name = 'recorded_cut';
  while (Object.hasOwn(recorded, name)) name = `recorded_${name}`;
  return name;
}

function derived(doc: ReceiptDocument): CompatView {
  const { outcome, times } = doc;
  return {
    receipt_id: doc.receiptId,
    operation_id: doc.operationId,
    action: doc.tool.name,
    args: doc.arguments.json,
    authorized: doc.authorisation.recorded?.authorized ?? (doc.authorisation.kind === 'policy' || doc.authorisation.kind === 'approval'),
    started_at: times.reportedStart ?? times.dispatched,
    completed_at: times.reportedEnd ?? times.completed,
    success: successOf(doc),
    result: doc.result === null ? null : textOf(doc.result),
    failure: failureOf(doc),
    exit_code: outcome?.exitCode ?? null,
    verified_effect: null,
    acceptance: null,
    task_id: doc.association.taskId ?? doc.taskId,
    cut: doc.original !== null || isCut(doc.arguments) || isCut(doc.result),
  };
}

const isCut = (payload: Payload | null): boolean => payload !== null && payload.state !== 'whole';

/** An output that is a text is shown as that text; any other stays JSON. */
function textOf(payload: Payload): string {
  const value = payload.json.startsWith('"') ? parsed(payload.json) : null;
  return typeof value === 'string' ? value : payload.json;
}

/** Null while nobody can know: before the end, and for an outcome that was lost. */
function successOf(doc: ReceiptDocument): boolean | null {
  switch (doc.status) {
    case 'requested':
    case 'awaiting_approval':
    case 'approved':
    case 'dispatched':
    case 'unknown':
      return null;
    case 'succeeded':
      return true;
    default:
      return false;
  }
}

/** A stable code: the recorded or reported one, else one for the state, in the old words where they had one. */
function failureOf(doc: ReceiptDocument): string | null {
  const recorded = doc.authorisation.recorded?.failure ?? null;
  if (recorded !== null) return recorded;
  switch (doc.status) {
    case 'failed':
      return doc.outcome?.error?.code ?? (isNonzero(doc.outcome?.exitCode) ? 'nonzero_exit' : null);
    case 'timed_out':
      return 'timeout';
    case 'denied':
      return 'approval_denied';
    case 'expired':
      return 'approval_expired';
    case 'rejected':
      return doc.reason?.code ?? null;
    case 'interrupted':
    case 'cancelled':
    case 'unknown':
      return doc.status;
    default:
      return null;
  }
}

const isNonzero = (exitCode: number | null | undefined): boolean => exitCode !== null && exitCode !== undefined && exitCode !== 0;
