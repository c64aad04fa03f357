import type { Payload, ReceiptDocument } from '@counterfoil/contracts';

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
/** Keys that only some surfaces or generations wrote: given when they were recorded. */
const RECORDED_KEYS = ['args_sha256', 'unmatched_reason'] as const;

type CompatKey = (typeof COMPAT_KEYS)[number] | (typeof RECORDED_KEYS)[number];

/** For showing only: nothing that is sent back under these keys has any effect. */
export type CompatView = Partial<Record<CompatKey, unknown>> & {
  /** True if anything here was cut to fit the payload bound, so that a reader knows that it doesn't see all that was recorded. */
  readonly cut: boolean;
};

/**
 * `?view=compat` (design §6): of an imported receipt the old keys as its record holds them, up to redaction and the payload bound, and
 * none that it never had; of a live one the same keys, derived. An imported record that was cut so deep that it can't be read again is
 * derived too, and marked as cut.
 */
export function compatView(doc: ReceiptDocument): CompatView {
  const recorded = doc.original === null ? null : recordOf(doc.original);
  if (recorded === null || doc.original === null) return derived(doc);
  const view: Partial<Record<CompatKey, unknown>> = {};
  let cut = doc.original.state !== 'whole';
  for (const key of [...COMPAT_KEYS, ...RECORDED_KEYS]) {
    if (!Object.hasOwn(recorded, key)) continue;
    const value = recorded[key];
    const shown = isShallow(value);
    view[key] = shown ? value : null;
    cut ||= !shown;
  }
  return { ...view, cut };
}

/**
 * The receipt inside an old row: its `payload`, an object or JSON text (once more encoded by some exporters); or the record itself,
 * where there was no row around it.
 */
function recordOf(original: Payload): Readonly<Record<string, unknown>> | null {
  const row = asObject(parse(original.json));
  if (row === null) return null;
  if (!Object.hasOwn(row, 'payload')) return Object.hasOwn(row, 'receipt_id') ? row : null;
  return asObject(decoded(decoded(row.payload)));
}

const decoded = (value: unknown): unknown => (typeof value === 'string' ? parse(value) : value);

function parse(json: string): unknown {
  try {
    return JSON.parse(json) as unknown;
  } catch {
    return null;
  }
}

function asObject(value: unknown): Readonly<Record<string, unknown>> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Readonly<Record<string, unknown>>) : null;
}

/** Old values were scalars; a value nested deeper than this could not be written as JSON again without running out of stack. */
const DEEPEST = 256;

function isShallow(value: unknown): boolean {
  let level: unknown[] = [value];
  for (let depth = 0; depth < DEEPEST; depth++) {
    level = level.flatMap((entry) =>
      typeof entry === 'object' && entry !== null ? Object.values(entry as Readonly<Record<string, unknown>>) : [],
    );
    if (level.length === 0) return true;
  }
  return false;
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
  const value = payload.json.startsWith('"') ? parse(payload.json) : null;
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
