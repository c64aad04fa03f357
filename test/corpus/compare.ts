import { isDeepStrictEqual } from 'node:util';
import type { ReceiptDocument } from '@counterfoil/contracts';
import type { CorpusRecord, ExpectedReceipt } from './expected.js';
import type { Import } from './reading.js';

/** A value that differs; with the reason where docs/history.md says why we read it otherwise. */
export interface Difference {
  readonly key: string;
  readonly expected: unknown;
  readonly ours: unknown;
  readonly because: string | null;
}

const ASSOCIATIONS: Readonly<Record<string, string>> = {
  receipt: 'recorded',
  task_row: 'recorded_in_task_row',
  later_copy: 'recorded_later',
  conflicting: 'conflicting',
  explicit: 'explicit',
};

const parsed = (json: string | undefined): unknown => (json === undefined ? null : (JSON.parse(json) as unknown));

/** Our receipt under the names of the corpus. */
export function readingOf(doc: ReceiptDocument): Omit<ExpectedReceipt, 'anomalies' | 'arguments_fidelity'> {
  const { provenance, association, verification } = doc;
  const coordinates = provenance.kind === 'imported' ? provenance.coordinates : {};
  return {
    receipt_id: coordinates['receiptId'] ?? null,
    operation_id: doc.operationId,
    call_id: doc.callId,
    call_id_source: doc.callIdSource,
    tool: doc.tool.name,
    arguments: parsed(doc.arguments.json),
    authorized: doc.authorisation.recorded?.authorized ?? null,
    status: doc.status,
    failure_code: doc.authorisation.recorded?.failure ?? null,
    exit_code: doc.outcome?.exitCode ?? null,
    side_effects: doc.tool.sideEffects,
    verification: { state: verification.state, method: verification.method, observed: parsed(verification.after?.json) },
    user_id: coordinates['userId'] ?? null,
    workspace_id: coordinates['workspaceId'] ?? null,
    session_id: coordinates['sessionId'] ?? null,
    plan_id: doc.planId,
    task_id: association.taskId,
    task_association:
      association.kind === 'none' && association.basis === undefined ? 'none' : (ASSOCIATIONS[association.basis ?? ''] ?? '?'),
    tool_version: doc.tool.version,
    tool_source: doc.tool.source,
    started_at: doc.times.reportedStart,
    completed_at: doc.times.reportedEnd,
  };
}

/** Where our reading differs on purpose, and why. */
function reasonFor(key: string, expected: unknown, ours: unknown): string | null {
  if (key === 'call_id' && typeof expected === 'string' && expected.startsWith('synthetic:<') && String(ours).startsWith('synthetic:')) {
    return 'the corpus leaves the digest open; ours is keyed';
  }
  if (key === 'task_id' && typeof expected === 'string' && expected.startsWith('<'))
    return 'the record stands alone: the row that owns it is not there';
  if (key === 'task_association' && expected === 'recorded_in_task_row' && ours === 'none') {
    return 'the record stands alone: the row that owns it is not there';
  }
  if (key === 'verification' && JSON.stringify(expected).includes('sha256')) return 'a digest over unredacted content is keyed (promise 4)';
  return null;
}

function compareReceipt(doc: ReceiptDocument, expected: ExpectedReceipt): readonly Difference[] {
  const ours: Record<string, unknown> = readingOf(doc);
  const found = Object.keys(ours)
    .filter((key) => !isDeepStrictEqual(ours[key], expected[key]))
    .map((key) => ({ key, expected: expected[key], ours: ours[key], because: reasonFor(key, expected[key], ours[key]) }));
  const { provenance } = doc;
  const [fidelity, anomalies] = provenance.kind === 'imported' ? [provenance.argumentsFidelity, provenance.anomalies] : [[], []];
  if (!fidelity.includes(expected.arguments_fidelity)) {
    found.push({ key: 'arguments_fidelity', expected: expected.arguments_fidelity, ours: fidelity, because: null });
  }
  for (const anomaly of expected.anomalies ?? []) {
    if (!anomalies.includes(anomaly)) found.push({ key: 'anomalies', expected: anomaly, ours: anomalies, because: null });
  }
  if (expected.result_truncated === 'possible' && !anomalies.includes('result_possibly_truncated')) {
    found.push({ key: 'result_truncated', expected: 'possible', ours: anomalies, because: null });
  }
  return found;
}

/** The outcome by the corpus's words: of the record itself, not of what stands inside of it. */
export function outcomeOf({ report, events }: Import): string {
  if (report.quarantined > 0) return 'quarantine';
  if (report.derivedCopy > 0 && report.imported === 0) return 'derived_copies';
  if (events.some(({ type }) => type === 'HistoricalTaskImported')) return 'task';
  if (events.some(({ type }) => type === 'HistoricalTransitionImported')) return 'task_transition';
  return report.imported > 0 ? 'receipt' : 'not_a_receipt';
}

function compareOthers(record: CorpusRecord, found: Import): readonly Difference[] {
  const { expected } = record;
  const differ: Difference[] = [];
  const check = (key: string, wanted: unknown, ours: unknown): void => {
    if (!isDeepStrictEqual(wanted, ours)) differ.push({ key, expected: wanted, ours, because: null });
  };
  check('outcome', expected.outcome, outcomeOf(found));
  if (expected.count !== undefined) check('count', expected.count, found.report.derivedCopy);
  for (const event of found.events) {
    if (event.type === 'HistoricalTaskImported' && expected.task !== undefined) {
      const { status, recordedStatus, evidenceCount, coordinates } = event.data;
      check('task.id', expected.task.id, coordinates['taskId']);
      check('task.status', [expected.task.status, expected.task.status_original], [status, recordedStatus]);
      check('task.evidence_count', expected.task.evidence_count, evidenceCount);
    }
    if (event.type === 'HistoricalTransitionImported' && expected.task_transition !== undefined) {
      check(
        'transition',
        [expected.task_transition.task_id, expected.task_transition.to],
        [event.data.coordinates['taskId'], event.data.to],
      );
    }
  }
  return differ;
}

/** Everything in which our reading of a record differs from what its corpus expects. */
export function compare(record: CorpusRecord, found: Import): readonly Difference[] {
  const { expected } = record;
  const stored = JSON.stringify(found.events.map(({ data }) => data));
  const receipts = expected.outcome === 'receipt' ? (expected.receipts ?? []) : [];
  const generation = generationOf(found);
  return [
    ...compareOthers(record, found),
    ...(receipts.length > 0 && receipts.length !== found.listed.length
      ? [{ key: 'receipts', expected: receipts.length, ours: found.listed.length, because: null }]
      : []),
    ...(receipts.length > 0 && expected.generation !== generation
      ? [{ key: 'generation', expected: expected.generation, ours: generation, because: null }]
      : []),
    ...receipts.flatMap((receipt, index) => {
      const doc = found.listed[index];
      return doc === undefined ? [] : compareReceipt(doc, receipt);
    }),
    ...(expected.projection_must_not_contain ?? [])
      .filter((text) => stored.includes(text))
      .map((text) => ({ key: 'must not contain', expected: text, ours: 'stored', because: null })),
    ...(expected.projection_must_contain ?? [])
      .filter((text) => !JSON.stringify(found.receipts).includes(text))
      .map((text) => ({ key: 'must contain', expected: text, ours: 'missing', because: null })),
  ];
}

function generationOf({ receipts }: Import): string {
  const provenance = receipts[0]?.provenance;
  if (provenance?.kind !== 'imported') return 'none';
  return provenance.generation === 'unknown' ? 'unknown' : `gen-${provenance.generation}`;
}
